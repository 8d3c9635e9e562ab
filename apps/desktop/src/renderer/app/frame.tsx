/** The frame around the app's own screens: the title, links to the other screens, and the way back to the console. */
import { Mark } from "@countersign/ui/app/mark.tsx"
import { Button } from "@countersign/ui/components/button.tsx"
import { type ReactNode, useEffect } from "react"
import styles from "./frame.module.css"
import { pathOf, type Place, places, placeWords } from "./places.ts"
import { desktopText as t } from "./text.ts"

export interface FrameProps {
  readonly place: Place
  readonly lead?: ReactNode
  /** There is a hub to return to. */
  readonly hasConsole: boolean
  readonly children: ReactNode
}

export const Frame = ({ children, hasConsole, lead, place }: FrameProps) => {
  const words = placeWords(t)
  useEffect(() => {
    document.title = t.app.documentTitle(words[place])
  }, [place, t, words])
  return (
    <div className={styles.frame}>
      <header className={styles.top}>
        <div className={styles.brand}>
          <Mark size={20} />
          <span>{t.app.computer}</span>
        </div>
        <nav className={styles.places} aria-label={t.app.computer}>
          {places.map((each) => (
            <a
              key={each}
              className={styles.place}
              href={pathOf(each)}
              aria-current={each === place ? "page" : undefined}
            >
              {words[each]}
            </a>
          ))}
        </nav>
        {hasConsole && <Button size="small" onClick={() => location.assign("/")}>{t.app.console}</Button>}
      </header>
      <main className={styles.content}>
        <header>
          <h1 className={styles.title}>{words[place]}</h1>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </header>
        {children}
      </main>
    </div>
  )
}
