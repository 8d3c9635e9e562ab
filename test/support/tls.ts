/**
 * A self-signed certificate for `tls.example`, valid from 2020 to 2120, and its key, for test servers only. A client
 * trusts it with `tls.setDefaultCACertificates([certificate])`.
 */
import { createPrivateKey } from "node:crypto"

const pkcs8 =
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmj795BkXPmeJiKBJKp7TdWJga+0QGgRcpKevHi1c0xOhRANCAASg1IrR6x6MZw" +
  "xd+ubDXag0RzmGB/B2uNKLORumlBpstVi+Xb+q4qe/9+bBfWReesna4FE+ylZPmKJ/yKV5L/OR"

const x509 =
  "MIIBZDCCAQqgAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAt0bHMuZXhhbXBsZTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMD" +
  "AwMFowFjEUMBIGA1UEAwwLdGxzLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASg1IrR6x6MZwxd+ubDXag0RzmGB/B2uNKLORum" +
  "lBpstVi+Xb+q4qe/9+bBfWReesna4FE+ylZPmKJ/yKV5L/ORo0cwRTAWBgNVHREEDzANggt0bHMuZXhhbXBsZTAMBgNVHRMEBTADAQH/MB0GA1" +
  "UdDgQWBBRRHnpPtZyhlSlBQsTc6I8OPjCJ1jAKBggqhkjOPQQDAgNIADBFAiEA7tM6pIlE8N7p7sHR1w/mw2Ma2xw/PpglkF1caTozrDgCIAUI" +
  "GymIWC46h6ju3p+djxXWnvPrPQKbebrrUczwolq/"

export const key = createPrivateKey({ key: Buffer.from(pkcs8, "base64"), format: "der", type: "pkcs8" }).export({
  format: "pem",
  type: "pkcs8"
})
export const certificate = `-----BEGIN CERTIFICATE-----\n${x509.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`
