/* What is pointed at, and what a click does. It is not part of the view; -1 means no patch. */

export class Pointer {
  hover = $state.raw(-1); // on the image: the query
  read = $state.raw(-1); // on the map: its value is read
  method = $state.raw<string | null>(null); // in the strip of methods
  addsPatches = $state.raw(false); // a click adds a patch to the query
  removes = $state.raw(false); // a click removes a patch

  move(change: Partial<Pick<Pointer, 'hover' | 'read' | 'method' | 'addsPatches' | 'removes'>>) {
    Object.assign(this, change);
  }
}
