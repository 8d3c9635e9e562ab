/** The field for the code that a program shows: of a computer that pairs, and of a program that signs in. */
import { useState } from "react"
import { TextField } from "../components/text-field.tsx"
import { codeIn, codeLength, exampleCode, shownCode } from "./pairing-code.ts"

export interface CodeFieldOptions {
  /** The code that was looked up before. */
  readonly was: string
  /** With that code; shown until the person types another one. */
  readonly problem: string | undefined
  readonly texts: { readonly code: string; readonly codeHint: string; readonly short: string }
  readonly className?: string | undefined
  /** With a whole code, as it is shown. */
  readonly onCode: (code: string) => void
}

export const useCodeField = ({ className, onCode, problem, texts: t, was }: CodeFieldOptions) => {
  const [typed, setTyped] = useState(was)
  const [isShort, setShort] = useState(false)
  const code = codeIn(typed)
  return {
    onSubmit: () => {
      setShort(code.length !== codeLength)
      if (code.length === codeLength) onCode(shownCode(code))
    },
    field: (
      <TextField
        label={t.code}
        description={t.codeHint}
        placeholder={exampleCode}
        value={typed}
        onChange={(next) => {
          setShort(false)
          setTyped(next)
        }}
        mono
        autoFocus
        autoCapitalize="characters"
        maxLength={16}
        className={className}
        error={isShort ? t.short : typed === was ? problem : undefined}
      />
    )
  }
}
