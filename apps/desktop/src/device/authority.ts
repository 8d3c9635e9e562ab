/** A hub whose certificate the computer's own authorities do not vouch for, and its owner did. */
import { getCACertificates, setDefaultCACertificates } from "node:tls"

/** Beside those that count anyway, for all that this process opens from here on. */
export const trustAuthority = (pem: string | undefined): void => {
  if (pem !== undefined) setDefaultCACertificates([...getCACertificates("default"), pem])
}
