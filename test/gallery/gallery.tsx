/**
 * Every component in every theme and density: `?theme=dark&contrast=more&density=touch`. Used for visual review and by
 * axe.
 */
import { Select } from "@countersign/ui/components/select.tsx"
import { ToastRegion } from "@countersign/ui/components/toast.tsx"
import { useEffect, useState } from "react"
import { ControlsSection } from "./controls-section.tsx"
import { DecisionSection } from "./decision-section.tsx"
import { FieldsSection } from "./fields-section.tsx"
import { FiguresSection } from "./figures-section.tsx"
import styles from "./gallery.module.css"
import { ListsSection } from "./lists-section.tsx"
import { StatesSection } from "./states-section.tsx"
import { TokensSection } from "./tokens-section.tsx"

const themes = [{ value: "system", text: "System" }, { value: "light", text: "Light" }, {
  value: "dark",
  text: "Dark"
}] as const
const contrasts = [
  { value: "system", text: "System" },
  { value: "standard", text: "Standard" },
  { value: "more", text: "High" }
] as const
const densities = [
  { value: "system", text: "By pointer" },
  { value: "compact", text: "Compact" },
  { value: "standard", text: "Standard" },
  { value: "touch", text: "Touch" }
] as const

const useAttribute = (name: "theme" | "contrast" | "density") => {
  const [value, setValue] = useState<string>(() => new URLSearchParams(location.search).get(name) ?? "system")
  useEffect(() => {
    if (value === "system") delete document.documentElement.dataset[name]
    else document.documentElement.dataset[name] = value
    const url = new URL(location.href)
    url.searchParams.set(name, value)
    history.replaceState(null, "", url)
  }, [name, value])
  return [value, setValue] as const
}

export const Gallery = () => {
  const [theme, setTheme] = useAttribute("theme")
  const [contrast, setContrast] = useAttribute("contrast")
  const [density, setDensity] = useAttribute("density")
  return (
    <div className={styles.page}>
      <header className={styles.top}>
        <h1 className={styles.brand}>Parts</h1>
        <Select label="Theme" value={theme} onChange={setTheme} options={themes} />
        <Select label="Contrast" value={contrast} onChange={setContrast} options={contrasts} />
        <Select label="Density" value={density} onChange={setDensity} options={densities} />
      </header>
      <main>
        <DecisionSection />
        <ListsSection />
        <FiguresSection />
        <StatesSection />
        <ControlsSection />
        <FieldsSection />
        <TokensSection />
      </main>
      <ToastRegion label="Confirmations" dismissText="Dismiss" />
    </div>
  )
}
