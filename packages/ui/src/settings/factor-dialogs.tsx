/** Adds a second factor: an authenticator app by a QR code, or a passkey of the browser. */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { renderSVG } from "uqr"
import { FormDialog } from "../app/form.tsx"
import { createPasskey } from "../app/passkey.ts"
import { ScreenState } from "../app/screen-state.tsx"
import { TextField } from "../components/text-field.tsx"
import { totpOptionsQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { CommandBlock } from "../setup/command-block.tsx"
import { securityText } from "../text/security.ts"
import styles from "./factor-dialogs.module.css"

const nameMax = 100

export interface AddFactorProps {
  readonly onClose: () => void
  readonly onAdded: (factor: Output<"factors.add">) => void
}

const useAdd = (onAdded: AddFactorProps["onAdded"]) =>
  useAct("factors.add", { workspace: null, touches: ["factors.list", "auth.me"], onDone: onAdded })

export const TotpDialog = ({ onAdded, onClose }: AddFactorProps) => {
  const { screen, totp: t } = securityText
  const options = useQuery(totpOptionsQuery)
  const [code, setCode] = useState("")
  const [name, setName] = useState("")
  const add = useAdd(onAdded)
  const enrollment = options.data
  const isWrong = add.error?.details.some(({ path }) => path === "code") === true
  return (
    <FormDialog
      title={t.title}
      act={t.add}
      call={add}
      failed={isWrong ? undefined : screen.addFailed}
      unchanged={screen.unchanged}
      disabled={enrollment === undefined}
      validates
      onClose={onClose}
      onSubmit={() => {
        if (enrollment === undefined) return
        const named = name.trim() === "" ? {} : { name: name.trim() }
        add.mutate({ payload: { kind: "totp", id: enrollment.id, code: code.trim(), ...named } })
      }}
    >
      <ScreenState query={options}>
        {enrollment !== undefined && (
          <>
            <p className="type-body text-2">{t.scan}</p>
            <img
              className={styles.qr}
              alt={t.qr}
              src={`data:image/svg+xml,${encodeURIComponent(renderSVG(enrollment.otpauth_url, { border: 2 }))}`}
            />
            <p className="type-body text-2">{t.secret}</p>
            <CommandBlock label={t.secret} command={enrollment.secret} copyText={t.copy} />
            <TextField
              label={t.code}
              required
              mono
              autoFocus
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={10}
              value={code}
              onChange={(next) => {
                setCode(next)
                if (add.isError) add.reset()
              }}
              error={isWrong ? t.wrong : undefined}
            />
            <TextField
              label={t.name}
              path="name"
              maxLength={nameMax}
              placeholder={t.usual}
              value={name}
              onChange={setName}
            />
          </>
        )}
      </ScreenState>
    </FormDialog>
  )
}

export const PasskeyDialog = ({ onAdded, onClose }: AddFactorProps) => {
  const { passkey: t, screen } = securityText
  const [name, setName] = useState("")
  const [isTried, setTried] = useState(false)
  const [isCanceled, setCanceled] = useState(false)
  const options = useAct("factors.passkeyOptions", { workspace: null })
  const add = useAdd(onAdded)
  const create = async () => {
    setTried(true)
    setCanceled(false)
    const named = name.trim()
    if (named === "") return
    const credential = await createPasskey(await options.mutateAsync({ payload: { purpose: "register" } }))
    if (credential === undefined) setCanceled(true)
    else add.mutate({ payload: { kind: "passkey", name: named, credential } })
  }
  return (
    <FormDialog
      title={t.title}
      description={t.what}
      width="narrow"
      act={t.add}
      call={options.isSuccess ? add : options}
      failed={screen.addFailed}
      unchanged={screen.unchanged}
      onClose={onClose}
      // The dialog shows the hub's refusal.
      onSubmit={() => void create().catch(() => undefined)}
    >
      <TextField
        label={screen.name}
        path="name"
        required
        autoFocus
        maxLength={nameMax}
        placeholder={screen.namePlaceholder}
        value={name}
        onChange={setName}
        error={isTried && name.trim() === "" ? screen.nameNeeded : undefined}
      />
      {isCanceled && <p className="type-note weight-label text-stop" role="alert">{securityText.canceled}</p>}
    </FormDialog>
  )
}
