import { Button } from "@countersign/ui/components/button.tsx"
import { useText } from "@countersign/ui/text/catalogue"
import { useState } from "react"
import type { ConsoleBridge } from "../../bridge/contract.ts"
import styles from "../device/device.module.css"
import { settingsText } from "./text.ts"

export interface TestNoticeProps {
  readonly bridge: ConsoleBridge
  readonly wide?: boolean
}

/** Shows one by the very way of those that wait, and says when the system does not. */
export const TestNotice = ({ bridge, wide = false }: TestNoticeProps) => {
  const t = useText(settingsText)
  const [said, setSaid] = useState<{ readonly words: string; readonly isProblem: boolean }>()
  const show = async () => {
    setSaid(undefined)
    const answer = await bridge.shell.testNotice()
    const problem = answer.ok ? answer.value.problem : "failed"
    setSaid(
      problem === null
        ? { words: t.testShown, isProblem: false }
        : { words: t.noticeProblems[problem], isProblem: true }
    )
  }
  return (
    <>
      <Button size={wide ? "standard" : "small"} wide={wide} onClick={() => void show()}>{t.test}</Button>
      {said !== undefined && (
        <p className={said.isProblem ? styles.problem : styles.note} role={said.isProblem ? "alert" : "status"}>
          {said.words}
        </p>
      )}
    </>
  )
}
