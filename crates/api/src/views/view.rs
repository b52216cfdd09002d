//! The macro that declares a view of a record: each member once, with its type and where it comes from.

/// Declares a view and its constructor `of`: `view! { pub struct InboxView of inbox: &Inbox { /// The address. address:
/// String = inbox.address.clone(), } }`. Attributes and documentation are those of the struct. What several members
/// need is named once, in front of them: `of record: &Record where let message = &record.message; { … }`.
macro_rules! view {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident $(<$life:lifetime>)? of $($given:ident: $type:ty),+
        $(where $(let $part:pat = $from:expr;)+)? {
            $($(#[$doc:meta])* $member_vis:vis $member:ident: $kind:ty = $value:expr,)+
        }
    ) => {
        $(#[$about])*
        $vis struct $name $(<$life>)? {
            $($(#[$doc])* $member_vis $member: $kind,)+
        }

        impl $(<$life>)? $name $(<$life>)? {
            /// Returns the view.
            #[must_use]
            $vis fn of($($given: $type),+) -> Self {
                $($(let $part = $from;)+)?
                Self { $($member: $value,)+ }
            }
        }
    };
}
