//! Why signatures and proofs of agents are refused, in `details.reason`.

named! {
    /// Why a signature of an author is refused.
    AuthorRefusal {
        /// It isn't a signature of that type, or the key didn't make it.
        InvalidSignature = "invalid_signature",
        /// The inbox has no active key with its id.
        UnknownKey = "unknown_key",
        /// The key was revoked.
        KeyRevoked = "key_revoked",
        /// It doesn't match the message.
        ContentMismatch = "content_mismatch",
        /// Its `aud` is neither this service nor a recipient.
        WrongAudience = "wrong_audience",
        /// Its date is in the future.
        IssuedInFuture = "issued_in_future",
        /// It is older than five minutes, or has expired.
        TooOld = "too_old",
        /// It was used before.
        Replayed = "replayed",
    }

    /// Why a proof is refused.
    ProofProblem {
        /// It isn't a compact signature with the claims of a proof.
        Malformed = "malformed",
        /// Its `typ` is that of something else.
        WrongType = "wrong_type",
        /// It names another key.
        WrongKey = "wrong_key",
        /// The key didn't make it.
        BadSignature = "bad_signature",
        /// Its audience is another one.
        WrongAudience = "wrong_audience",
        /// It is for another inbox.
        WrongSubject = "wrong_subject",
        /// Its date is in the future.
        IssuedInFuture = "issued_in_future",
        /// It is older than five minutes.
        TooOld = "too_old",
        /// It was used before.
        Replayed = "replayed",
    }
}
