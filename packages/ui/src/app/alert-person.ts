/**
 * Shows the number of pending approvals on the tab's icon and notifies the person of new ones. Loaded after the first
 * screen.
 */
import { currentAlerting } from "./alerting.ts"

const seal =
  "M4 12h2v8H4zM7 8h2v12H7zM10 15h2v5h-2zM13 10h2v10h-2zM16 6h2v14h-2zM19 13h2v7h-2zM22 9h2v11h-2zM25 14h2v6h-2zM4 23h23v2H4z"

/** `icon.svg` with a badge drawn on it. */
const drawn = (badge: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#1c6f75" d="${seal}"/>` +
  `<rect x="10" y="0" width="22" height="19" rx="5" fill="#7a4b00"/><text x="21" y="14.5" font-family="sans-serif" font-weight="700" ` +
  `font-size="${badge.length > 2 ? 11 : 15}" text-anchor="middle" fill="#fff">${badge}</text></svg>`

const plainIcon = "/icon.svg"

/** An empty text removes the badge. */
export const drawIcon = (badge: string): void => {
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]")
  if (link === null) return
  const href = badge === "" ? plainIcon : `data:image/svg+xml,${encodeURIComponent(drawn(badge))}`
  if (link.getAttribute("href") !== href) link.setAttribute("href", href)
}

/** One short tone. Browsers play no sound before the person has interacted with the page. */
export const playTone = async (): Promise<void> => {
  const audio = new AudioContext()
  try {
    await audio.resume()
    const [tone, volume] = [audio.createOscillator(), audio.createGain()]
    tone.frequency.value = 660
    volume.gain.setValueAtTime(0.12, audio.currentTime)
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.35)
    tone.connect(volume).connect(audio.destination)
    const ended = new Promise<void>((resolve) => tone.addEventListener("ended", () => resolve()))
    tone.start()
    tone.stop(audio.currentTime + 0.35)
    await ended
  } finally {
    await audio.close()
  }
}

const mayNotify = (): boolean => typeof Notification === "function" && Notification.permission === "granted"

/** Of several tabs, only one handles an arrival: it holds a lock for this time. */
const lockedMillis = 2_000
const once = (act: () => void): void => {
  void navigator.locks.request("countersign.alert", { ifAvailable: true }, async (lock) => {
    if (lock === null) return
    act()
    await new Promise((resolve) => setTimeout(resolve, lockedMillis))
  })
}

export const alertOfArrival = (title: string, body: string): void => {
  const { notify, sound } = currentAlerting()
  const isNotified = notify && document.visibilityState === "hidden" && mayNotify()
  if (!isNotified && !sound) return
  once(() => {
    if (sound) playTone().catch(() => {})
    if (!isNotified) return
    const notice = new Notification(title, { body, tag: "countersign.pending", icon: plainIcon })
    notice.addEventListener("click", () => {
      window.focus()
      notice.close()
    })
  })
}
