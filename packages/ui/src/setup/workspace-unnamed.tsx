import { Button } from "../components/button.tsx"
import { useText } from "../text/catalogue.ts"
import { setupText } from "../text/setup.ts"

export const WorkspaceUnnamed = ({ onGoOn }: { readonly onGoOn: () => void }) => {
  const t = useText(setupText)
  return <Button variant="primary" wide autoFocus onClick={onGoOn}>{t.goOn}</Button>
}
