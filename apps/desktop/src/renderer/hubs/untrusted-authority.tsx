/** An untrusted certificate: the fingerprints to compare, and the button that imports its authority. */
import { Button } from "@countersign/ui/components/button.tsx"
import { fingerprint } from "../../bridge/fingerprint.ts"
import { Facts } from "../app/facts.tsx"
import { desktopText as t } from "../app/text.ts"
import styles from "./hubs.module.css"

export interface UntrustedAuthorityProps {
  readonly url?: string
  readonly subject: string
  readonly sha256: string
  readonly code: string
  /** False when the certificate has a fault that only the hub can fix. */
  readonly mayImport: boolean
  readonly problem: string | undefined
  readonly isAsking: boolean
  readonly onImport: () => void
  readonly wide?: boolean
}

export const UntrustedAuthority = (
  { code, isAsking, mayImport, onImport, problem, sha256, subject, url, wide = false }: UntrustedAuthorityProps
) => {
  return (
    <>
      <p className={styles.note}>{mayImport ? t.untrustedHow : t.cannotImport}</p>
      <Facts
        rows={[...url === undefined ? [] : [[t.url, url] as const], [t.subject, subject], [
          t.fingerprint,
          fingerprint(sha256)
        ], [t.reason, code]]}
      />
      {problem !== undefined && <p className={styles.problem} role="alert">{problem}</p>}
      {mayImport && (
        <div>
          <Button wide={wide} pending={isAsking} pendingText={t.looking} onClick={onImport}>{t.importCa}</Button>
        </div>
      )}
    </>
  )
}
