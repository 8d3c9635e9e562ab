/**
 * Banners for lasting states: a freeze, standing approvals, a policy that allows everything, each with a link to the
 * page that ends it; and notices of the host app.
 */
import { useQuery } from "@tanstack/react-query"
import { Button } from "../components/button.tsx"
import { policiesQuery, standingQuery } from "../hub/queries.ts"
import { StandingLine } from "../patterns/standing-line.tsx"
import { shellText } from "../text/shell.ts"
import { useClockDoubt } from "./clock-doubt.ts"
import { Link } from "./link.tsx"
import { hideNotice, useNotices } from "./notices.ts"
import { openOverlay } from "./overlay.ts"
import { placeRoute, usePlaces } from "./places.ts"
import { useCan, useWorkspace } from "./session.ts"

/** A rule that matches every request, in any spelling. */
const isAllowAll = (
  { enabled, then, when }: { readonly enabled: boolean; readonly then: string; readonly when: string }
): boolean => enabled && then === "allow" && /^\(*\s*true\s*\)*$/u.test(when)

export const StandingLines = () => {
  const t = shellText.standing
  const { frozen, id } = useWorkspace()
  const places = usePlaces()
  const notices = useNotices()
  const can = useCan()
  const clockDoubted = useClockDoubt()
  const standing = useQuery({ ...standingQuery(id), enabled: can("approvals:read") }).data?.data.length ?? 0
  const policies = useQuery(policiesQuery(id)).data?.data ?? []
  const allowAll = policies.find(isAllowAll)
  const standingPlace = places.find(({ name }) => name === "standing")
  const policiesPlace = places.find(({ name }) => name === "policies")
  return (
    <div>
      {notices.map((notice) => (
        <StandingLine
          key={notice}
          action={
            <Button
              size="small"
              variant="bare"
              onClick={() => hideNotice(notice)}
            >
              {t.hide}
            </Button>
          }
        >
          {notice}
        </StandingLine>
      ))}
      {clockDoubted && <StandingLine stop>{t.clock}</StandingLine>}
      {frozen && (
        <StandingLine
          stop
          action={
            <Button
              size="small"
              variant="bare"
              onClick={() => openOverlay("freeze")}
            >
              {t.lift}
            </Button>
          }
        >
          {t.frozen}
        </StandingLine>
      )}
      {allowAll !== undefined && (
        <StandingLine
          action={policiesPlace && <Link to={placeRoute(policiesPlace)} params={{ workspace: id }}>{t.policy}</Link>}
        >
          {t.allowAll(allowAll.name)}
        </StandingLine>
      )}
      {standing > 0 && (
        <StandingLine
          action={standingPlace && <Link to={placeRoute(standingPlace)} params={{ workspace: id }}>{t.review}</Link>}
        >
          {t.standing(standing)}
        </StandingLine>
      )}
    </div>
  )
}
