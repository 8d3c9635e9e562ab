/** The person's second factors and recovery codes: add, rename, remove, replace. */
import type { Factor, FactorList } from "@countersign/domain/factors"
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useCloseTwice } from "../app/close-twice.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { hasPasskeys } from "../app/passkey.ts"
import { ScreenState } from "../app/screen-state.tsx"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { factorsQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { RowList } from "../patterns/row-list.tsx"
import { CommandBlock } from "../setup/command-block.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { securityText } from "../text/security.ts"
import { PasskeyDialog, TotpDialog } from "./factor-dialogs.tsx"
import styles from "./form.module.css"
import { Moment } from "./moment.tsx"

type Open = "totp" | "passkey" | "replace" | { readonly rename: Factor } | { readonly remove: Factor }

export const factorTouches = ["factors.list", "auth.me"] as const

export const FactorsPanel = () => {
  const t = securityText.screen
  const factors = useQuery(factorsQuery)
  const mayAct = useMayAct()
  const [open, setOpen] = useState<Open>()
  const [codes, setCodes] = useState<ReadonlyArray<string>>()
  const close = () => setOpen(undefined)
  const added = ({ recovery_codes }: Output<"factors.add">) => {
    close()
    setCodes(recovery_codes)
  }
  const add = (
    <>
      <Button size="small" disabled={!mayAct} onClick={() => setOpen("totp")}>{t.addTotp}</Button>
      {factors.data?.passkeys_available === true && hasPasskeys() && (
        <Button
          size="small"
          disabled={!mayAct}
          onClick={() => setOpen("passkey")}
        >
          {t.addPasskey}
        </Button>
      )}
    </>
  )
  return (
    <>
      <Panel title={t.factors} flush actions={<div className="flex flex-wrap gap-8">{add}</div>}>
        <ScreenState query={factors}>
          {factors.data !== undefined && <FactorRows list={factors.data} onOpen={setOpen} />}
        </ScreenState>
      </Panel>
      {factors.data !== undefined && factors.data.data.length > 0 && (
        <Panel title={t.recovery}>
          <div className={styles.form}>
            <p className="type-body text-2">{t.recoveryWhat} {t.left(factors.data.recovery_codes_left)}.</p>
            <Button size="small" disabled={!mayAct} onClick={() => setOpen("replace")}>{t.replace}</Button>
          </div>
        </Panel>
      )}
      {open === "totp" && <TotpDialog onClose={close} onAdded={added} />}
      {open === "passkey" && <PasskeyDialog onClose={close} onAdded={added} />}
      {open === "replace" && (
        <ReplaceDialog
          onClose={close}
          onReplaced={(next) => {
            close()
            setCodes(next)
          }}
        />
      )}
      {typeof open === "object" && "rename" in open && <RenameDialog factor={open.rename} onClose={close} />}
      {typeof open === "object" && "remove" in open && (
        <RemoveDialog factor={open.remove} isLast={factors.data?.data.length === 1} onClose={close} />
      )}
      {codes !== undefined && <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </>
  )
}

const FactorRows = ({ list, onOpen }: { readonly list: FactorList; readonly onOpen: (open: Open) => void }) => {
  const t = securityText.screen
  const mayAct = useMayAct()
  return (
    <>
      <RowList
        label={t.factors}
        rows={list.data.map((factor) => ({
          key: factor.id,
          title: factor.name,
          detail: (
            <>
              <span>{t.kinds[factor.kind]}</span>
              <span>
                <Phrase text={t.added} time={<Moment at={factor.created_at} />} />
              </span>
              <span>
                {factor.last_used_at === undefined
                  ? t.unused
                  : <Phrase text={t.used} time={<Moment at={factor.last_used_at} />} />}
              </span>
            </>
          ),
          acts: (
            <>
              <Button
                size="small"
                disabled={!mayAct}
                aria-label={t.renameOf(factor.name)}
                onClick={() => onOpen({ rename: factor })}
              >
                {t.rename}
              </Button>
              <Button
                size="small"
                variant="danger"
                disabled={!mayAct}
                aria-label={t.removeOf(factor.name)}
                onClick={() => onOpen({ remove: factor })}
              >
                {t.remove}
              </Button>
            </>
          )
        }))}
      />
      {list.data.length === 0 && <p className="px-16 py-12 type-body text-2">{t.none}</p>}
      {!list.passkeys_available && <p className="px-16 py-12 type-note text-2">{t.noHostName}</p>}
    </>
  )
}

const RenameDialog = ({ factor, onClose }: { readonly factor: Factor; readonly onClose: () => void }) => {
  const t = securityText.screen
  const [name, setName] = useState(factor.name)
  const [isTried, setTried] = useState(false)
  const rename = useAct("factors.rename", { workspace: null, touches: factorTouches, onDone: onClose })
  return (
    <FormDialog
      title={t.renameTitle}
      width="narrow"
      call={rename}
      failed={t.renameFailed}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (name.trim() !== "") rename.mutate({ params: { id: factor.id }, payload: { name: name.trim() } })
      }}
    >
      <TextField
        label={t.name}
        path="name"
        required
        maxLength={100}
        value={name}
        onChange={setName}
        error={isTried && name.trim() === "" ? t.nameNeeded : undefined}
      />
    </FormDialog>
  )
}

const RemoveDialog = (
  { factor, isLast, onClose }: { readonly factor: Factor; readonly isLast: boolean; readonly onClose: () => void }
) => {
  const t = securityText.screen
  const remove = useAct("factors.remove", {
    workspace: null,
    touches: factorTouches,
    done: t.removed(factor.name),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.removeTitle(factor.name)}
      description={isLast ? t.removeLast : t.removeWhat}
      confirmText={t.remove}
      onConfirm={() => remove.mutate({ params: { id: factor.id } })}
      failed={t.removeFailed}
      unchanged={t.unchanged}
    />
  )
}

const ReplaceDialog = (
  { onClose, onReplaced }: {
    readonly onClose: () => void
    readonly onReplaced: (codes: ReadonlyArray<string>) => void
  }
) => {
  const t = securityText.screen
  const replace = useAct("factors.recoveryCodes", {
    workspace: null,
    touches: factorTouches,
    onDone: ({ recovery_codes }) => onReplaced(recovery_codes)
  })
  return (
    <ConfirmAct
      call={replace}
      onClose={onClose}
      title={t.replaceTitle}
      description={t.replaceWhat}
      confirmText={t.replace}
      onConfirm={() => replace.mutate({})}
      failed={t.replaceFailed}
      unchanged={t.unchanged}
    />
  )
}

/** Shown once. The first attempt to close it without the button warns; the second closes it. */
const CodesDialog = ({ codes, onClose }: { readonly codes: ReadonlyArray<string>; readonly onClose: () => void }) => {
  const t = securityText.codes
  const { close, isWarned } = useCloseTwice(onClose)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={t.title}
      description={t.what}
      closeText={acts.close}
      footer={<Button variant="primary" onClick={onClose}>{t.kept}</Button>}
    >
      <div className={styles.form}>
        <CommandBlock label={t.label} command={codes.join("\n")} copyText={t.copy} />
        {isWarned && <p role="alert">{t.warning}</p>}
      </div>
    </Dialog>
  )
}
