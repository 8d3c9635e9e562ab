/**
 * Parts of the page that load on demand. While their server is unreachable they are requested again until they load:
 * rendering nothing for a while is better than an error screen.
 */
import { type ComponentProps, type ComponentType, createElement, lazy, type ReactElement, useState } from "react"

const againMillis = 1_000

/**
 * The page's own address gives no answer or a 503, as from a hub that starts or stops: a file that failed to load is
 * then unreachable, not missing.
 */
export const isAway = (): Promise<boolean> =>
  fetch(location.href, { method: "HEAD", cache: "no-store", redirect: "manual" }).then(
    ({ status }) => status === 503,
    () => true
  )

/**
 * Removes the elements of style sheets that fail to load, which would count as loaded at the next attempt. A style sheet
 * that is still loading has to stay: an element that was removed fires no event, and its part would never be rendered.
 */
export const forgetFailedStyles = (): void =>
  document.addEventListener("error", ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") target.remove()
  }, true)

const untilThere = async <M>(load: () => Promise<M>): Promise<M> => {
  let wasThere = false
  for (;;) {
    try {
      return await load()
    } catch (error) {
      const isThere = !await isAway()
      // One check is not enough: the hub may have come back after the request for the file.
      if (isThere && wasThere) throw error
      wasThere = isThere
      if (!isThere) await new Promise((resolve) => setTimeout(resolve, againMillis))
    }
  }
}

/**
 * Like React's `lazy`, for use within `Suspense`; `preload` loads the part early. A loaded part renders without
 * suspending: React would show the fallback first and keep it for 300 ms.
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
    // Fixed for the life of this element: a different component type would lose its state.
    const [Chosen] = useState(() => (loaded ?? Lazy) as ComponentType<ComponentProps<T>>)
    return createElement(Chosen, props)
  }
  return Object.assign(Part, { preload })
}
