/* The Explore page: a session, the images that can be chosen, and how it is presented. */

import { untrack } from 'svelte';
import type { Host } from '../lib/host';
import { NO_RESPONSE } from '../lib/refused';
import type { Line } from '../lib/words';
import { Session } from '../session/session.svelte';
import { Images } from './images.svelte';
import type { Presentation } from './present';
import type { ImageSet } from './set/imageSet.svelte';

export class Explorer {
  readonly host: Host;
  readonly catalog: Host['catalog'];
  readonly session: Session;
  readonly theme: Host['theme'];
  readonly images: Images;

  root = $state.raw<HTMLElement | null>(null); // while it is mounted
  presented = $state.raw<Presentation | null>(null); // what fills the window
  opener: Element | null = null; // had the focus before
  set = $state.raw<ImageSet | null>(null); // several images, shown below the one that is explained
  isHidden = $state.raw(false); // another tab is on screen

  readonly #hasCifar = $derived.by(() => this.catalog.lists.cifar.available);
  readonly status = $derived.by((): Line => {
    const { drawing, status } = this.session;
    return status.line === null ? drawing.status : [status.line];
  });

  constructor(host: Host, isDrawn = true) {
    this.host = host;
    this.catalog = host.catalog;
    this.session = new Session(host.engine, this.catalog, isDrawn);
    this.theme = host.theme;
    this.images = new Images(this);
  }

  /** Follow the session while the component that calls this is mounted. */
  run() {
    this.session.run();
    this.session.status.watch(() => this.session.isWaiting);
    $effect(() => {
      if (this.isHidden) this.presented = null;
    });
    $effect(() => {
      void this.#hasCifar; // once it is downloaded, also on another page
      untrack(() => this.images.show(this.images.shelf));
    });
  }

  /** The element that the page is mounted in. Returns a function that forgets it. */
  mount(root: HTMLElement) {
    this.root = root;
    return () => {
      this.root = null;
    };
  }

  /** Whether the page is the one on screen. */
  get isVisible(): boolean {
    return (this.root?.getClientRects().length ?? 0) > 0;
  }

  hide(isHidden: boolean) {
    this.isHidden = isHidden;
  }

  /** Show several images: files that are uploaded, or the image on screen with some samples. */
  async openSet(files: readonly File[] = []) {
    try {
      const { ImageSet } = await import('./set/imageSet.svelte');
      this.set ??= new ImageSet(this, !files.length);
      await this.set.upload(files);
    } catch {
      this.session.status.say(NO_RESPONSE, true);
    }
  }

  closeSet() {
    this.set = null;
  }

  present(what: Presentation | null) {
    if (!this.presented) this.opener = document.activeElement;
    this.presented = what;
  }
}
