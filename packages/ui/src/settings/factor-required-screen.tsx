/** For people to whom a workspace is closed until they have a second factor. */
import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useEffect } from "react"
import { Gate } from "../app/gate.tsx"
import { returnTo } from "../app/return-to.ts"
import { useSignOut } from "../app/sign-out.ts"
import { StepUp } from "../app/step-up.tsx"
import { Button } from "../components/button.tsx"
import { factorsQuery } from "../hub/queries.ts"
import { securityText } from "../text/security.ts"
import { FactorsPanel } from "./factors-panel.tsx"

export const FactorRequiredScreen = () => {
  const t = securityText.required
  const { to } = useSearch({ from: "/second-factor" })
  const factors = useQuery(factorsQuery)
  const signOut = useSignOut()
  useEffect(() => {
    document.title = t.documentTitle
  }, [t])
  const hasFactor = (factors.data?.data.length ?? 0) > 0
  return (
    <Gate title={t.title} lead={t.lead}>
      <FactorsPanel />
      {/* A reload: every answer of the workspace was a refusal. */}
      {hasFactor && <Button variant="primary" wide onClick={() => location.assign(returnTo(to))}>{t.next}</Button>}
      <Button variant="bare" wide onClick={signOut}>{t.signOut}</Button>
      <StepUp />
    </Gate>
  )
}
