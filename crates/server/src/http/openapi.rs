//! The OpenAPI 3.1 document, made from the route table and the types that serve.
