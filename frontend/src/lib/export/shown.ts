/* What components of a figure get in place of the page's state. */

/** An object some of whose properties have other values. What is assigned to it is ignored: a figure changes nothing. */
export const overriding = <T extends object>(target: T, values: Partial<T>): T =>
  new Proxy(target, {
    get: (_, name) => (name in values ? values[name as keyof T] : Reflect.get(target, name)),
    set: () => true,
  });
