/** The fields with which a person proves a second factor, at sign-in and at step-up. */
import type { FactorMethod, FactorProof } from "@countersign/domain/factors"
import { isHubError } from "@countersign/hub-client/error"
import { type ReactNode, useState } from "react"
import { Button } from "../components/button.tsx"
import { TextField } from "../components/text-field.tsx"
import { errorText as errors } from "../text/errors.ts"
import { securityText as t } from "../text/security.ts"
import { errorWords } from "./error-words.ts"
import { hasPasskeys, type PasskeyOptions, proveByPasskey } from "./passkey.ts"

export interface FactorProofInput {
  readonly methods: ReadonlyArray<FactorMethod>
  /** The error of the call that sends the proof. */
  readonly error: unknown
  /** Asks the hub for the options of the browser's call. */
  readonly passkeyOptions: () => Promise<PasskeyOptions>
}

export interface FactorProofForm {
  readonly fields: ReactNode
  /** No method works in this browser. */
  readonly isImpossible: boolean
  /** Undefined if the person canceled, or has to correct the code. */
  readonly prove: () => Promise<FactorProof | undefined>
}

export const useFactorProof = ({ error, methods, passkeyOptions }: FactorProofInput): FactorProofForm => {
  const offered = methods.filter((method) => method !== "passkey" || hasPasskeys())
  const [picked, setPicked] = useState<FactorMethod>()
  const [code, setCode] = useState("")
  const [problem, setProblem] = useState<string>()
  /** The error of another method's proof. */
  const [earlier, setEarlier] = useState<unknown>()
  const method = picked ?? offered[0]
  const pick = (next: FactorMethod) => {
    setPicked(next)
    setCode("")
    setProblem(undefined)
    setEarlier(error)
  }
  const refused = error === null || error === undefined || error === earlier
    ? undefined
    : isHubError(error) && (error.status === 401 || error.status === 403)
    ? t.wrong
    : errorWords(errors, error)
  const shown = problem ?? refused
  const prove = async (): Promise<FactorProof | undefined> => {
    setProblem(undefined)
    if (method === "totp") return { totp: code.trim() }
    if (method === "recovery_code") return { recovery_code: code.trim() }
    try {
      const passkey = await proveByPasskey(await passkeyOptions())
      if (passkey !== undefined) return { passkey }
      setProblem(t.canceled)
    } catch (cause) {
      setProblem(errorWords(errors, cause))
    }
    return undefined
  }
  return {
    isImpossible: method === undefined,
    prove,
    fields: method === undefined ? <p className="type-body text-2">{t.noPasskeys}</p> : (
      <>
        {method === "passkey"
          ? (
            <>
              <p className="type-body text-2">{t.passkeyWhat}</p>
              {shown !== undefined && <p className="type-note weight-label text-stop" role="alert">{shown}</p>}
            </>
          )
          : (
            <TextField
              key={method}
              label={method === "totp" ? t.code : t.recoveryCode}
              description={method === "totp" ? t.codeWhat : t.recoveryCodeWhat}
              name={method}
              autoComplete={method === "totp" ? "one-time-code" : "off"}
              inputMode={method === "totp" ? "numeric" : "text"}
              mono
              required
              autoFocus
              maxLength={64}
              value={code}
              onChange={(next) => {
                setProblem(undefined)
                setCode(next)
              }}
              error={shown}
            />
          )}
        {offered.length > 1 && (
          <div className="flex flex-wrap gap-8">
            {offered.filter((each) => each !== method).map((each) => (
              <Button
                key={each}
                size="small"
                variant="bare"
                onClick={() => pick(each)}
              >
                {t.use[each]}
              </Button>
            ))}
          </div>
        )}
      </>
    )
  }
}
