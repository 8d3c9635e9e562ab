/** Trusts a certificate authority that the owner accepted for a hub and the computer does not trust. */
import { getCACertificates, setDefaultCACertificates } from "node:tls"

/** Adds it to the default authorities for all later connections of this process. */
export const trustAuthority = (pem: string | undefined): void => {
  if (pem !== undefined) setDefaultCACertificates([...getCACertificates("default"), pem])
}
