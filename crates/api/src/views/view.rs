//! The macro that declares a view of a record: each member once, with its type and where it comes from.

/// Declares a view and its constructor `of`: `view! { pub struct InboxView of inbox: &Inbox { /// The address. address:
/// String = inbox.address.clone(), } }`. Attributes and documentation are those of the struct. Views that compute
/// several members together are written by hand.
macro_rules! view {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident $(<$life:lifetime>)? of $($given:ident: $type:ty),+ {
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
                Self { $($member: $value,)+ }
            }
        }
    };
}
