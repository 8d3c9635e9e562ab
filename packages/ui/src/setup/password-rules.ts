/** What a new password must be: length alone counts. The contract's figures, which a test pins. */

export const passwordLengthMin = 12
export const passwordLengthMax = 256

export type PasswordVerdict =
  | { readonly kind: "short"; readonly missing: number }
  | { readonly kind: "good" }
  | { readonly kind: "long" }

/** Counted in characters as the hub counts them: an emoji is one. */
export const judgePassword = (text: string): PasswordVerdict => {
  const length = [...text].length
  if (length > passwordLengthMax) return { kind: "long" }
  return length < passwordLengthMin ? { kind: "short", missing: passwordLengthMin - length } : { kind: "good" }
}
