import styles from "./gallery.module.css"
import { Section } from "./section.tsx"

const colors = [
  "canvas",
  "surface",
  "sunken",
  "raised",
  "line",
  "edge",
  "focus",
  "text",
  "text2",
  "text3",
  "brand",
  "hold",
  "hold-tint",
  "ok",
  "ok-tint",
  "stop",
  "stop-tint",
  "info",
  "info-tint",
  "series-1",
  "series-2",
  "series-3",
  "series-4",
  "series-5",
  "series-6"
]
const types = ["meta", "label", "note", "body", "control", "lead", "title", "page", "amount", "mono"]

export const TokensSection = () => (
  <Section id="tokens" title="Tokens">
    <div className={styles.swatches}>
      {colors.map((color) => (
        <div key={color} className={styles.swatch}>
          <div className={styles.sample} style={{ background: `var(--${color})` }} />
          {color}
        </div>
      ))}
    </div>
    <div className={styles.stack}>
      {types.map((type) => (
        <p key={type} style={{ font: `var(--type-${type})` }}>{type}: Countersigned by Ada, 1,240.00 of 5,000.00</p>
      ))}
    </div>
  </Section>
)
