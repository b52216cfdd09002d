// A conversation with a service through the client that openapi-generator makes for Go (scripts/clients.sh): creates an inbox, asks what
// a send would do, sends, lists the messages, and reads an error.
package main

import (
	"context"
	"errors"
	"log"
	"os"

	"posthouse"
)

func main() {
	configuration := posthouse.NewConfiguration()
	configuration.Servers = posthouse.ServerConfigurations{{URL: os.Getenv("POSTHOUSE_URL")}}
	client := posthouse.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), posthouse.ContextAccessToken, os.Getenv("POSTHOUSE_KEY"))

	inbox, _, err := client.InboxesAPI.CreateInbox(ctx).CreateInboxBody(*posthouse.NewCreateInboxBody()).Execute()
	check(err)

	to := inbox.GetAddress()
	body := posthouse.NewSendMessageBody(posthouse.Recipients{String: &to}, "Hello")
	body.SetText("Hi")
	decision, _, err := client.MessagesAPI.DryRunSend(ctx, inbox.GetId()).SendMessageBody(*body).Execute()
	check(err)
	expect(decision.GetStatus() == "would_send", "the decision is ", decision.GetStatus())

	result, _, err := client.MessagesAPI.SendMessage(ctx, inbox.GetId()).SendMessageBody(*body).Execute()
	check(err)
	expect(result.Message != nil && result.Message.GetSubject() == "Hello", "the result is no message")

	page, _, err := client.MessagesAPI.ListMessages(ctx, inbox.GetId()).Execute()
	check(err)
	expect(len(page.GetData()) == 2, "the list has ", len(page.GetData()), " messages")

	_, _, err = client.InboxesAPI.GetInbox(ctx, "00000000-0000-7000-8000-000000000000").Execute()
	var failure *posthouse.GenericOpenAPIError
	expect(errors.As(err, &failure), "the error is ", err)
	reason, isTyped := failure.Model().(posthouse.Error)
	expect(isTyped && reason.Error.GetCode() == posthouse.ERRORCODE_NOT_FOUND, "the error is ", failure.Model())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func expect(holds bool, problem ...any) {
	if !holds {
		log.Fatal(problem...)
	}
}
