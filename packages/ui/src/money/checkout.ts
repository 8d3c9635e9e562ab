/** Stripe's page of a payment: its limits, and how to get there. */

/** The limits of one payment: those of the contract; a test compares them. */
export const checkoutCentsMin = 500
export const checkoutCentsMax = 1_000_000

/**
 * Opens Stripe's page in the same tab; the desktop app, whose window shows the app only, opens it in the browser.
 */
export const leaveFor = (url: string): void => {
  if (location.protocol === "http:" || location.protocol === "https:") location.assign(url)
  else window.open(url, "_blank", "noopener")
}
