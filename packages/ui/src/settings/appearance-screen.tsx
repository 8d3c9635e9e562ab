/** Theme, contrast, density, times. Changes apply at once, in every tab of this browser. */
import { contrasts, densities, setAppearance, themes, useAppearance } from "../app/appearance.ts"
import { Panel } from "../components/panel.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Switch } from "../components/switch.tsx"
import { Money } from "../patterns/money.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { settingsText } from "../text/settings.ts"
import styles from "./appearance-screen.module.css"
import { SettingsFrame } from "./settings-frame.tsx"

export const AppearanceScreen = () => {
  const { appearance: t } = settingsText
  const { absoluteTimes, contrast, density, narrowRail, theme } = useAppearance()
  return (
    <SettingsFrame section="appearance" lead={t.what}>
      <Panel>
        <div className="grid gap-24">
          <RadioGroup
            label={t.theme}
            inline
            value={theme}
            onChange={(next) => setAppearance({ theme: next })}
            options={themes.map((value) => ({ value, text: t.themes[value] }))}
          />
          <RadioGroup
            label={t.contrast}
            inline
            value={contrast}
            onChange={(next) => setAppearance({ contrast: next })}
            options={contrasts.map((value) => ({ value, text: t.contrasts[value] }))}
          />
          <p className={`type-note text-3 ${styles.note}`}>{t.contrastWhat}</p>
          <RadioGroup
            label={t.density}
            value={density}
            onChange={(next) => setAppearance({ density: next })}
            options={densities.map((value) => ({ value, text: t.densities[value], description: t.densityWhat[value] }))}
          />
          <Switch
            label={t.rail}
            description={t.railWhat}
            checked={narrowRail}
            onChange={(next) => setAppearance({ narrowRail: next })}
          />
          <Switch
            label={t.times}
            description={t.timesWhat}
            checked={absoluteTimes}
            onChange={(next) => setAppearance({ absoluteTimes: next })}
          />
        </div>
      </Panel>
      <Sample />
    </SettingsFrame>
  )
}

/** Three sample rows of a list. */
const Sample = () => {
  const { sample, sampleRows: t } = settingsText.appearance
  const rows = [
    { agent: t.scout, status: "approval_required", word: t.waiting, cents: 4_200 },
    { agent: t.bot, status: "executed", word: t.executed, cents: 124_000 },
    { agent: t.scout, status: "blocked", word: t.blocked, cents: 36 }
  ]
  return (
    <Panel title={sample} flush>
      <table className={styles.sample}>
        <thead>
          <tr>
            <th scope="col">{t.agent}</th>
            <th scope="col">{t.state}</th>
            <th scope="col">{t.amount}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ agent, cents, status, word }) => (
            <tr key={status}>
              <td>{agent}</td>
              <td>
                <StatusBadge status={status}>{word}</StatusBadge>
              </td>
              <td>
                <Money cents={cents} end />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
