import { Button } from "@countersign/ui/components/button.tsx"
import { useText } from "@countersign/ui/text/catalogue"
import { useState } from "react"
import styles from "../device/device.module.css"
import { settingsText } from "./text.ts"

/** Shows one as the system does, and says when it does not. */
export const TestNotice = ({ wide = false }: { readonly wide?: boolean }) => {
  const t = useText(settingsText)
  const [isRefused, setRefused] = useState(false)
  const show = () => {
    try {
      const notification = new Notification(t.testTitle, { body: t.testBody })
      notification.addEventListener("error", () => setRefused(true))
    } catch {
      setRefused(true)
    }
  }
  return (
    <>
      <Button size={wide ? "standard" : "small"} wide={wide} onClick={show}>{t.test}</Button>
      {isRefused && <p className={styles.problem} role="alert">{t.testRefused}</p>}
    </>
  )
}
