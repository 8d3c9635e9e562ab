/** Leaves the console for a provider's sign-in page; the provider returns the browser to it. */
export const goToSignIn = (address: string): void => {
  // The desktop app opens it in the person's browser.
  if (location.protocol === "app:") window.open(address, "_blank", "noopener")
  else location.assign(address)
}
