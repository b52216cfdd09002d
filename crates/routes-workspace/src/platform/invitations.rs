//! `/platform/invitations`: a person joins a workspace by accepting an invitation, or declines it.

use posthouse_api::views::user::SignedInView;
use posthouse_app::people::invitations;
use posthouse_http::prelude::*;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::person(Method::POST, "/platform/invitations/{id}/accept", "acceptInvitation")
            .summary("Joins the workspace of an invitation, begins a session there, and ends the one of the cookie.")
            .without_body()
            .responds::<SignedInView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(accept),
        Route::person(Method::DELETE, "/platform/invitations/{id}", "declineInvitation")
            .summary("Declines an invitation. It can't be accepted afterwards.")
            .responds_with(204, None)
            .errors(&[ErrorCode::NotFound])
            .handle(decline),
    ]
}

async fn accept(service: Arc<Service>, input: RouteInput) -> Result<RouteResponse, Refusal> {
    let id = input.path.id("id", "invitation")?;
    let client = super::sign_in_client(input.request);
    let signed_in = invitations::accept(&service, input.caller, id, client).await?;
    super::begin_session(&service, &signed_in)
}

async fn decline(service: Arc<Service>, input: RouteInput) -> Result<RouteResponse, Refusal> {
    invitations::decline(&service, input.caller, input.path.id("id", "invitation")?).await?;
    Ok(RouteResponse::empty())
}
