/**
 * Parts of the page that come when they are wanted. While what serves them is away they are asked for again until they are there: to draw
 * nothing yet is better than to end the screen that wanted them.
 */
import { type ComponentType, lazy, type LazyExoticComponent } from "react"

const againMillis = 1_000

/** Nothing answers at the page's own address: a file that did not come is not missing, it is out of reach. */
export const isAway = (): Promise<boolean> =>
  fetch(location.href, { method: "HEAD", cache: "no-store", redirect: "manual" }).then(() => false, () => true)

/** A style sheet that failed would count as there at the next try. */
export const forgetFailedStyles = (): void => {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")) if (link.sheet === null) link.remove()
}

const untilThere = async <M,>(load: () => Promise<M>): Promise<M> => {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (!await isAway()) throw error
      forgetFailedStyles()
      await new Promise((resolve) => setTimeout(resolve, againMillis))
    }
  }
}

/** As React's `lazy`, to be drawn within `Suspense`. */
// oxlint-disable-next-line typescript/no-explicit-any -- the properties of any component
export const lazyPart = <T extends ComponentType<any>>(load: () => Promise<{ readonly default: T }>): LazyExoticComponent<T> =>
  lazy(() => untilThere(load))
