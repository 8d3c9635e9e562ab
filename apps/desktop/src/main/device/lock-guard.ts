/**
 * Consent on a screen that may be locked: the system is queried before a question is shown, every 2 s while a question
 * is pending, and before an approval counts. A lock event from the system counts as well. Spec: reference/devices.md
 * "D10: doubt is denial".
 */
import type { AllowRefusal, Consent } from "./consent.ts"

export const checkMillis = 2_000

export interface LockCheck {
  readonly locked: boolean
  /** Whether this system reports locks at all; otherwise a locked screen looks like an unlocked one. */
  readonly reported: boolean
}

export interface GuardedConsent extends Omit<Consent, "allow"> {
  readonly allow: (question: string, digest: string) => Promise<AllowRefusal | undefined>
  /** Whether this system reports a locked screen. */
  readonly reportsLock: () => Promise<boolean>
  readonly close: () => void
}

export interface LockGuardOptions {
  readonly consent: Consent
  readonly check: () => Promise<LockCheck>
  readonly every: (millis: number, act: () => void) => () => void
}

export const guardConsent = ({ check, consent, every }: LockGuardOptions): GuardedConsent => {
  /** The state from the system's lock events. */
  let isLocked = false
  let seen: LockCheck | undefined
  let checks = 0
  let newest = 0
  const now = async (): Promise<LockCheck> => {
    const mine = ++checks
    const found = await check().catch((): LockCheck => ({ locked: false, reported: false }))
    // A slow answer is older than the current state.
    if (mine > newest) {
      newest = mine
      seen = found
      consent.setLocked(isLocked || found.locked)
    }
    return found
  }

  type Arrived = Parameters<Consent["ask"]>
  let arrived: ReadonlyArray<Arrived> = []
  let isAdmitting = false
  /** Questions that arrive during a query are admitted together after the next query. */
  const admit = async (): Promise<void> => {
    if (isAdmitting) return
    isAdmitting = true
    try {
      while (arrived.length > 0) {
        const these = arrived
        await now()
        const left = these.filter((each) => arrived.includes(each))
        arrived = arrived.filter((each) => !these.includes(each))
        for (const each of left) consent.ask(...each)
      }
    } finally {
      isAdmitting = false
    }
  }

  let stopChecks: (() => void) | undefined
  let isChecking = false
  const tick = (): void => {
    consent.expireDue()
    if (isChecking) return
    isChecking = true
    void now().finally(() => {
      isChecking = false
    })
  }
  const unsubscribe = consent.subscribe((drawing) => {
    if (drawing === undefined) {
      stopChecks?.()
      stopChecks = undefined
    } else stopChecks ??= every(checkMillis, tick)
  })

  return {
    ...consent,
    ask: (...arriving) => {
      arrived = [...arrived, arriving]
      void admit()
    },
    withdraw: (question) => {
      arrived = arrived.filter(([each]) => each.question !== question)
      consent.withdraw(question)
    },
    agentGone: () => {
      arrived = []
      consent.agentGone()
    },
    allow: async (question, digest) => {
      await now()
      return consent.allow(question, digest)
    },
    setLocked: (locked) => {
      isLocked = locked
      consent.setLocked(locked || seen?.locked === true)
    },
    reportsLock: async () => (seen ?? await now()).reported,
    close: () => {
      unsubscribe()
      stopChecks?.()
    }
  }
}
