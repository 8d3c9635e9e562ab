/** Adds a hub in two steps: check the address, then confirm the hub that answered. */
import { Button } from "@countersign/ui/components/button.tsx"
import { TextField } from "@countersign/ui/components/text-field.tsx"
import { type SyntheticEvent, useState } from "react"
import type { Answer } from "../../bridge/answer.ts"
import type { ConsoleBridge, FoundHub } from "../../bridge/contract.ts"
import { fingerprint } from "../../bridge/fingerprint.ts"
import { Facts } from "../app/facts.tsx"
import { desktopText as t } from "../app/text.ts"
import styles from "./hubs.module.css"
import { UntrustedAuthority } from "./untrusted-authority.tsx"

export interface AddHubProps {
  readonly bridge: ConsoleBridge
  /** `setupToken`: set when the person pasted the link that the hub printed at its first start. */
  readonly onAdded: (id: string, setupToken: string | undefined) => void
  readonly onBack?: () => void
}

const setupTokenOf = (address: string): string | undefined => /\/setup#token=([\w-]{1,200})\s*$/u.exec(address)?.[1]

export const AddHub = ({ bridge, onAdded, onBack }: AddHubProps) => {
  const [url, setUrl] = useState("")
  const [name, setName] = useState("")
  const [found, setFound] = useState<FoundHub>()
  const [problem, setProblem] = useState<string>()
  const [isAsking, setAsking] = useState(false)

  async function ask<A>(work: Promise<Answer<A>>, onDone: (value: A) => void) {
    setAsking(true)
    setProblem(undefined)
    try {
      const answer = await work
      if (answer.ok) onDone(answer.value)
      else setProblem(answer.error.message)
    } catch {
      setProblem(t.none)
    } finally {
      setAsking(false)
    }
  }
  const look = (address: string, sha256?: string) =>
    ask(
      bridge.shell.findHub({ url: address, ...sha256 === undefined ? {} : { import_ca_sha256: sha256 } }),
      (value) => {
        setFound(value)
        if (value.kind === "hub") setName(new URL(value.url).host)
      }
    )
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (isAsking) return
    if (found?.kind !== "hub") return void look(url.trim())
    const ca = found.ca_sha256 === null ? {} : { ca_sha256: found.ca_sha256 }
    void ask(
      bridge.shell.addHub({ url: found.url, hub_id: found.hub_id, name: name.trim(), ...ca }),
      ({ id }) => onAdded(id, setupTokenOf(url))
    )
  }
  const again = () => {
    setFound(undefined)
    setProblem(undefined)
  }

  if (found?.kind === "hub") {
    return (
      <form className={styles.form} onSubmit={submit}>
        <h2 className={styles.subtitle}>{t.found}</h2>
        <Facts
          rows={[
            [t.url, found.url],
            [t.identity, found.hub_id],
            [t.version, found.version],
            ...found.ca_sha256 === null ? [] : [[t.fingerprint, fingerprint(found.ca_sha256)] as const]
          ]}
        />
        <TextField label={t.name} required value={name} onChange={setName} maxLength={80} error={problem} />
        <Button type="submit" variant="primary" wide pending={isAsking} pendingText={t.adding}>{t.add}</Button>
        <Button wide onClick={again}>{t.back}</Button>
      </form>
    )
  }
  if (found?.kind === "untrusted") {
    return (
      <section className={styles.form}>
        <h2 className={styles.subtitle}>{t.untrusted}</h2>
        <UntrustedAuthority
          url={found.url}
          subject={found.subject}
          sha256={found.sha256}
          code={found.code}
          mayImport={found.may_import}
          problem={problem}
          isAsking={isAsking}
          onImport={() => void look(found.url, found.sha256)}
          wide
        />
        <Button wide variant="primary" onClick={again}>{t.back}</Button>
      </section>
    )
  }
  const wrong = problem ?? (found?.kind === "none" ? `${t.none}: ${found.message}` : undefined)
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label={t.address}
        description={t.addressHint}
        required
        autoFocus
        value={url}
        onChange={setUrl}
        maxLength={2_000}
        error={wrong}
      />
      <Button type="submit" variant="primary" wide pending={isAsking} pendingText={t.looking}>{t.look}</Button>
      {onBack !== undefined && <Button wide onClick={onBack}>{t.back}</Button>}
    </form>
  )
}
