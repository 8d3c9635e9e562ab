import { Button } from "../components/button.tsx"
import { setupText as t } from "../text/setup.ts"

export const WorkspaceUnnamed = ({ onGoOn }: { readonly onGoOn: () => void }) => {
  return <Button variant="primary" wide autoFocus onClick={onGoOn}>{t.goOn}</Button>
}
