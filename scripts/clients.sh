#!/usr/bin/env bash
# clients.sh [BINARY]: generates clients from the OpenAPI document that a running service serves, as it is, with the generators that
# people use: openapi-python-client, whose warnings are errors, openapi-generator for Java and Go, whose clients are compiled and talk to
# the service, and hey-api for TypeScript, whose client is compiled. Redocly checks the document. `scripts/web.sh` does it with
# openapi-typescript, because the dashboard uses those types.
#
# BINARY is target/debug/posthouse by default. `scripts/need.sh test` installs the generators.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -n "${POSTHOUSE_TEST_SERVICE:-}" ] || exec scripts/with-service.sh "${1:-target/debug/posthouse}" "$0"

programs=$PWD/.tools/python-clients/bin
conversations=$PWD/scripts/openapi-clients
modules=$PWD/.tools/openapi-clients/node_modules
PATH=$PWD/.tools/node/bin:$PATH
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# The generators write caches and files beside the document.
export HOME=$out XDG_CACHE_HOME=$out PYTHONDONTWRITEBYTECODE=1
cd "$out"
curl -fsS "$POSTHOUSE_URL/v1/openapi.json" >openapi.json

# fail NAME: ends the test with the output of a generator.
fail() {
	cat "$1.log" >&2
	echo "clients: $1 can't generate a client from the document" >&2
	exit 1
}

# Files are bytes, whatever is in them. Nobody reads the code, so it isn't formatted.
cat >python.yaml <<'YAML'
post_hooks: []
content_type_overrides:
  "*/*": application/octet-stream
  application/xml: application/octet-stream
  image/png: application/octet-stream
  message/rfc822: application/octet-stream
YAML
"$programs/openapi-python-client" generate --path openapi.json --output-path python --config python.yaml --fail-on-warning \
	--meta none >python.log 2>&1 || fail python
"$programs/python" -m compileall -q python >>python.log 2>&1 || fail python

# generate LANGUAGE FOLDER OPTION...: makes a client with openapi-generator.
generate() {
	local language=$1 folder=$2
	shift 2
	"$programs/openapi-generator-cli" generate -i openapi.json -g "$language" -o "$folder" "$@" \
		--global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false,skipFormModel=false >"$language.log" 2>&1 ||
		fail "$language"
	# Operations of two chapters in one file: the second overwrites the first.
	! grep -q FILEPATH_COLLISION "$language.log" || fail "$language"
}

# Java's own HTTP client. A list in a choice of types needs a class of its own, which `--generate-alias-as-model` makes. Jackson is part
# of the generator.
generate java java --library native --generate-alias-as-model --additional-properties openApiNullable=false
jars=$("$programs/python" -c 'import openapi_generator_cli as cli, pathlib; print(*pathlib.Path(cli.__file__).parent.glob("*.jar"))')
for jar in httpmime httpclient httpcore geronimo-annotation-1.3-spec; do
	jars=$jars:/usr/share/java/$jar.jar
done
find java/src/main/java -name '*.java' >sources
{
	javac -nowarn -proc:none -d classes -cp "$jars" @sources "$conversations/Conversation.java" &&
		java -cp "classes:$jars" Conversation
} >>java.log 2>&1 || fail java

# Constants of two enums can have one name, which `enumClassPrefix` prevents.
export GO111MODULE=off GOFLAGS= GOPATH=$out/go:/usr/share/gocode GOCACHE=$out/go-cache
generate go go/src/posthouse --additional-properties enumClassPrefix=true,packageName=posthouse
mkdir go/src/conversation
cp "$conversations/conversation.go" go/src/conversation/main.go
{ go vet posthouse conversation && go run conversation; } >>go.log 2>&1 || fail go

# A WebSocket begins with a 101, and a page of OAuth ends with a 303: neither has a 2xx. Redocly finds additional properties where a
# condition across members is written as `if`; Schemathesis finds those that are there.
cat >redocly.yaml <<'YAML'
extends: [recommended]
rules:
  operation-2xx-response: off
  no-invalid-media-type-examples: { severity: warn, allowAdditionalProperties: true }
YAML
export REDOCLY_TELEMETRY=off
node "$modules/@redocly/cli/bin/cli.js" lint openapi.json --config redocly.yaml --max-problems 20 >redocly.log 2>&1 || fail redocly
! grep -q 'You have .* warning' redocly.log || fail redocly

node "$modules/@hey-api/openapi-ts/bin/run.js" -i openapi.json -o typescript -c @hey-api/client-fetch >typescript.log 2>&1 || fail typescript
cat >tsconfig.json <<'JSON'
{
	"compilerOptions": {
		"strict": true, "noEmit": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler",
		"lib": ["es2022", "dom", "dom.iterable"]
	},
	"include": ["typescript", "use.ts"]
}
JSON
# Whatever a send returns (a message, a draft that waits for an approval, a decision) has a status.
cat >use.ts <<'TYPESCRIPT'
import { dryRunSend, forwardMessage, replyToMessage, sendDraft, sendMessage } from './typescript';

const to = 'ada@example.com';
const original = { id: 'inbox', message_id: 'message' };

export async function statuses(): Promise<string[]> {
	const results = [
		await sendMessage({ path: { id: 'inbox' }, body: { to, subject: 'Hello', text: 'Hi' }, throwOnError: true }),
		await replyToMessage({ path: original, body: { text: 'Hi' }, throwOnError: true }),
		await forwardMessage({ path: original, body: { to }, throwOnError: true }),
		await sendDraft({ path: { id: 'inbox', draft_id: 'draft' }, throwOnError: true }),
		await dryRunSend({ path: { id: 'inbox' }, body: { to, subject: 'Hello', text: 'Hi' }, throwOnError: true }),
	];
	return results.map((result) => result.data.status);
}
TYPESCRIPT
node "$modules/typescript/bin/tsc" -p . >>typescript.log 2>&1 || fail typescript

# Each operation is a function in every client.
python3 - <<'PYTHON'
import json, pathlib, re

document = json.load(open("openapi.json"))
names = [one["operationId"] for methods in document["paths"].values() for one in methods.values()]
plain = lambda text: re.sub("[^a-z0-9]", "", text.lower())
texts = {
    "python": " ".join(plain(path.stem) for path in pathlib.Path("python").rglob("*.py")),
    "java": plain(" ".join(path.read_text() for path in pathlib.Path("java").rglob("*Api.java"))),
    "typescript": plain(pathlib.Path("typescript/sdk.gen.ts").read_text()),
    "go": plain(" ".join(path.read_text() for path in pathlib.Path("go/src/posthouse").glob("api_*.go"))),
}
missing = [(client, name) for client, text in texts.items() for name in names if plain(name) not in text]
if missing:
    raise SystemExit(f"clients: operations without a function: {missing}")
print(f"clients: {len(names)} operations in clients for Python, Java, Go and TypeScript")
PYTHON
