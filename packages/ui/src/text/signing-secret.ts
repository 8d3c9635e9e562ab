/** Words that the signing secrets of triggers and of webhook endpoints share; `text/triggers.ts` and `text/webhooks.ts` add theirs. */
export const signingSecretWords = {
  secret: {
    title: (name: string) => `The signing secret of ${name}`,
    once: "The secret is shown only once.",
    label: "Signing secret",
    copy: { copy: "Copy secret", copied: "Copied", refused: "Not copied: select it" },
    closeWarning:
      "You haven't confirmed that you saved this secret. It can't be shown again. Close again to discard it.",
    kept: "I have kept it",
    done: "Done"
  },
  rotate: {
    act: "Rotate secret",
    graces: { 0: "End it now", 3600: "1 hour", 86400: "1 day", 604800: "7 days" },
    failed: "The secret was not rotated."
  }
}
