// The conversation of conversation.go through the client that openapi-generator makes for Java.

import java.util.UUID;

import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.InboxesApi;
import org.openapitools.client.api.MessagesApi;
import org.openapitools.client.model.CreateInboxBody;
import org.openapitools.client.model.CreatedInbox;
import org.openapitools.client.model.Message;
import org.openapitools.client.model.Recipients;
import org.openapitools.client.model.SendDecision;
import org.openapitools.client.model.SendMessageBody;

final class Conversation {
	public static void main(String[] arguments) throws ApiException {
		ApiClient client = new ApiClient();
		client.updateBaseUri(System.getenv("POSTHOUSE_URL"));
		client.setRequestInterceptor(
				request -> request.setHeader("Authorization", "Bearer " + System.getenv("POSTHOUSE_KEY")));
		InboxesApi inboxes = new InboxesApi(client);
		MessagesApi messages = new MessagesApi(client);

		CreatedInbox inbox = inboxes.createInbox(new CreateInboxBody(), null);
		SendMessageBody body =
				new SendMessageBody().to(new Recipients(inbox.getAddress())).subject("Hello").text("Hi");
		SendDecision decision = messages.dryRunSend(inbox.getId(), body);
		expect(decision.getStatus() == SendDecision.StatusEnum.WOULD_SEND, "the decision is " + decision.getStatus());

		Message message = messages.sendMessage(inbox.getId(), body, null, null).getMessage();
		expect("Hello".equals(message.getSubject()), "the message is " + message);

		int count = messages.listMessages(inbox.getId(), null, null, null, null, null, null, null, null, null, null, null,
				null, null, null).getData().size();
		expect(count == 2, "the list has " + count + " messages");

		try {
			inboxes.getInbox(UUID.fromString("00000000-0000-7000-8000-000000000000"));
			expect(false, "an unknown inbox was found");
		} catch (ApiException failure) {
			expect(failure.getCode() == 404 && failure.getResponseBody().contains("not_found"), failure.toString());
		}
	}

	private static void expect(boolean holds, String problem) {
		if (!holds) {
			throw new AssertionError(problem);
		}
	}
}
