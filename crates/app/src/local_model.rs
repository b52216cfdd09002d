//! The local model in the binary, which is read when it's first used.

use std::sync::{Arc, OnceLock};

use posthouse_categoriser::Model;

/// The local model. Clones share it.
#[derive(Clone, Default)]
pub struct LocalModel(Arc<OnceLock<Model>>);

impl LocalModel {
    /// Returns the model. The first call takes some 10 ms.
    #[must_use]
    pub fn get(&self) -> &Model {
        self.0.get_or_init(Model::builtin)
    }
}
