/** The layout of sign-in and setup, before the console. */
import type { ReactNode } from "react"
import { shellText as t } from "../text/shell.ts"
import styles from "./gate.module.css"
import { Mark } from "./mark.tsx"

export interface GateProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}

export const Gate = ({ children, lead, title }: GateProps) => {
  return (
    <main className={`grid justify-items-center gap-24 ${styles.gate}`}>
      <div className="flex items-center gap-12 type-title tracking-large">
        <Mark size={24} />
        <span>{t.product}</span>
      </div>
      <section className={`grid gap-24 wrap-anywhere border rounded-panel bg-surface ${styles.sheet}`}>
        <header>
          <h1 className={`tracking-large ${styles.title}`}>{title}</h1>
          {lead !== undefined && <p className="mt-8 type-body text-2">{lead}</p>}
        </header>
        {children}
      </section>
    </main>
  )
}
