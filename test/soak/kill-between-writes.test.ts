import { testShortForm } from "../support/short-form.ts"

testShortForm("kill-between-writes")
