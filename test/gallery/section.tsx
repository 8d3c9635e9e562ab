import type { ReactNode } from "react"
import styles from "./gallery.module.css"

export const Section = (
  { id, title, children }: { readonly id: string; readonly title: string; readonly children: ReactNode }
) => (
  <section id={id} className={styles.section} aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`} className={styles.sectionTitle}>{title}</h2>
    {children}
  </section>
)
