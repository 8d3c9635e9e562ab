/**
 * Parts of the page that come when they are wanted. While what serves them is away they are asked for again until they are there: to draw
 * nothing yet is better than to end the screen that wanted them.
 */
import { type ComponentProps, type ComponentType, createElement, lazy, type ReactElement, useState } from "react"

const againMillis = 1_000

/** Nothing answers at the page's own address, or a hub that starts or stops: a file that did not come is not missing, it is out of reach. */
export const isAway = (): Promise<boolean> =>
  fetch(location.href, { method: "HEAD", cache: "no-store", redirect: "manual" }).then(
    ({ status }) => status === 503,
    () => true
  )

/** A style sheet that failed would count as there at the next try. */
export const forgetFailedStyles = (): void => {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")) {
    if (link.sheet === null) link.remove()
  }
}

const untilThere = async <M>(load: () => Promise<M>): Promise<M> => {
  let wasThere = false
  for (;;) {
    try {
      return await load()
    } catch (error) {
      const isThere = !await isAway()
      // Once is not enough: the hub may have come back after the file was asked for.
      if (isThere && wasThere) throw error
      wasThere = isThere
      forgetFailedStyles()
      if (!isThere) await new Promise((resolve) => setTimeout(resolve, againMillis))
    }
  }
}

/**
 * As React's `lazy`, to be drawn within `Suspense`; `preload` loads it before. A part that is loaded is drawn without suspending: React would
 * show the fallback first, and keep it for 300 ms.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the properties of any component
export const lazyPart = <T extends ComponentType<any>>(load: () => Promise<{ readonly default: T }>) => {
  let loaded: T | undefined
  const preload = async (): Promise<{ readonly default: T }> => {
    const part = await load()
    loaded = part.default
    return part
  }
  const Lazy = lazy(() => untilThere(preload))
  const Part = (props: ComponentProps<T>): ReactElement => {
    // For the life of this element: another component in its place would lose its state.
    const [Chosen] = useState(() => (loaded ?? Lazy) as ComponentType<ComponentProps<T>>)
    return createElement(Chosen, props)
  }
  return Object.assign(Part, { preload })
}
