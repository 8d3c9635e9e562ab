/** Rules for a new password: only its length counts. The contract's limits; a test compares them. */

export const passwordLengthMin = 12
export const passwordLengthMax = 256

export type PasswordVerdict =
  | { readonly kind: "short"; readonly missing: number }
  | { readonly kind: "good" }
  | { readonly kind: "long" }

/** Counted in characters like the hub: an emoji is one. */
export const judgePassword = (text: string): PasswordVerdict => {
  const length = [...text].length
  if (length > passwordLengthMax) return { kind: "long" }
  return length < passwordLengthMin ? { kind: "short", missing: passwordLengthMin - length } : { kind: "good" }
}
