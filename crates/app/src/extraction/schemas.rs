//! The built-in schemas of structured extraction (`docs/reference/files.md#schemas`), and the rule for those of callers.

use serde_json::{Value, json};

use crate::model_server::schema;

/// Characters of a schema of a caller, as JSON.
pub const SCHEMA_CHARS_MAX: usize = 20_000;

/// A schema of the data to extract.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DataSchema {
    /// `invoice`
    Invoice,
    /// `receipt`
    Receipt,
    /// `tax_form`
    TaxForm,
    /// A JSON Schema of the caller.
    Custom(Value),
}

impl DataSchema {
    /// Returns the built-in schema with a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "invoice" => Some(Self::Invoice),
            "receipt" => Some(Self::Receipt),
            "tax_form" => Some(Self::TaxForm),
            _ => None,
        }
    }

    /// Checks a schema of a caller.
    ///
    /// # Errors
    /// Returns the problem, which completes "`schema` …".
    pub fn custom(schema: Value) -> Result<Self, String> {
        schema::check(&schema)?;
        if schema.to_string().len() > SCHEMA_CHARS_MAX {
            return Err(format!("must have at most {SCHEMA_CHARS_MAX} bytes as JSON"));
        }
        Ok(Self::Custom(schema))
    }

    /// Returns the name in answers.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Invoice => "invoice",
            Self::Receipt => "receipt",
            Self::TaxForm => "tax_form",
            Self::Custom(_) => "custom",
        }
    }

    /// Returns the JSON Schema.
    #[must_use]
    pub fn json(&self) -> Value {
        match self {
            Self::Invoice => invoice(),
            Self::Receipt => receipt(),
            Self::TaxForm => tax_form(),
            Self::Custom(schema) => schema.clone(),
        }
    }
}

/// Returns an object that has exactly these members. Each may be null: a document that lacks a value costs the value.
fn object(members: &[(&str, Value)]) -> Value {
    let nullable = |mut schema: Value| {
        schema["type"] = json!([schema["type"], "null"]);
        schema
    };
    let properties: serde_json::Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), nullable(schema.clone()))).collect();
    let required: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn number(description: &str) -> Value {
    json!({ "type": "number", "description": description })
}

fn date(description: &str) -> Value {
    json!({ "type": "string", "format": "date", "description": format!("{description}, as YYYY-MM-DD") })
}

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items, "maxItems": 500 })
}

fn party() -> Value {
    object(&[
        ("name", text("Name")),
        ("address", text("Postal address in one line")),
        ("email", text("Email address")),
        ("phone", text("Phone number")),
        ("tax_id", text("VAT or tax number")),
    ])
}

fn line_item() -> Value {
    object(&[
        ("description", text("What was sold")),
        ("quantity", number("Quantity")),
        ("unit_price", number("Price of one unit")),
        ("total", number("Price of the line")),
    ])
}

fn invoice() -> Value {
    object(&[
        ("invoice_number", text("Number of the invoice")),
        ("purchase_order", text("Number of the order")),
        ("issue_date", date("Date of the invoice")),
        ("due_date", date("Date by which it is paid")),
        ("vendor", party()),
        ("customer", party()),
        ("line_items", list(line_item())),
        ("subtotal", number("Sum without tax")),
        ("tax", number("Tax")),
        ("shipping", number("Shipping")),
        ("discount", number("Discount")),
        ("total", number("Amount to pay")),
        ("amount_paid", number("Amount that is paid already")),
        ("currency", text("Currency, such as EUR")),
        ("payment_terms", text("Terms of payment")),
        ("iban", text("IBAN or account number for the payment")),
    ])
}

fn receipt() -> Value {
    object(&[
        ("merchant", party()),
        ("receipt_number", text("Number of the receipt")),
        ("date", date("Date of the purchase")),
        ("time", text("Time of the purchase, as HH:MM")),
        ("items", list(line_item())),
        ("subtotal", number("Sum without tax")),
        ("tax", number("Tax")),
        ("tip", number("Tip")),
        ("total", number("Amount paid")),
        ("currency", text("Currency, such as EUR")),
        ("payment_method", text("How it was paid, such as card")),
        ("card_last4", text("Last four digits of the card")),
    ])
}

fn tax_form() -> Value {
    let form_box = object(&[
        ("box", text("Number of the box, such as 1 or 2a")),
        ("label", text("Title of the box")),
        ("amount", number("Amount in the box")),
        ("text", text("Content of the box if it is no amount")),
    ]);
    object(&[
        ("form_type", text("Name of the form, such as W-2, W-9 or 1099-NEC")),
        ("tax_year", number("Tax year")),
        ("payer", party()),
        ("recipient", party()),
        ("account_number", text("Account number")),
        ("tax_classification", text("Federal tax classification (W-9)")),
        ("wages", number("Wages, tips, other compensation (W-2 box 1)")),
        ("nonemployee_compensation", number("Nonemployee compensation (1099-NEC box 1)")),
        ("federal_tax_withheld", number("Federal income tax withheld")),
        ("state", text("State")),
        ("state_tax_withheld", number("State income tax withheld")),
        ("boxes", list(form_box)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_schemas_are_understood_completely() {
        for name in ["invoice", "receipt", "tax_form"] {
            let schema = DataSchema::named(name).expect("built in");
            assert_eq!(schema::check(&schema.json()), Ok(()), "{name}");
            assert_eq!(schema.name(), name);
        }
    }

    #[test]
    fn dates_have_the_form_that_the_docs_promise() {
        let invoice = DataSchema::Invoice.json();
        let schema = &invoice["properties"]["issue_date"];
        for date in ["2026-03-01", "2024-02-29", "2000-02-29", "2026-12-31"] {
            assert_eq!(schema::validate(schema, &json!(date)), Ok(()), "{date}");
        }
        assert_eq!(schema::validate(schema, &Value::Null), Ok(()));
        let wrong = [
            "01.03.2026",
            "2026-3-1",
            "2026-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-04-31",
            "2026-01-00",
            "2026-03-01T00:00:00Z",
            "2026/03/01",
            "20260301",
            "March 1, 2026",
            "",
            " 2026-03-01",
            "2026-03-0x",
            "+026-03-01",
        ];
        for date in wrong {
            assert!(schema::validate(schema, &json!(date)).is_err(), "{date}");
        }
    }

    #[test]
    fn schemas_of_callers_are_a_subset() {
        let custom = |properties: Value| DataSchema::custom(json!({ "type": "object", "properties": properties }));
        assert!(custom(json!({ "a": { "type": ["string", "null"] } })).is_ok());
        for keyword in ["pattern", "format", "$ref"] {
            let problem = custom(json!({ "a": { "type": "string", keyword: "x" } })).unwrap_err();
            assert!(problem.contains(keyword), "{problem}");
        }
        assert!(DataSchema::custom(json!({ "type": "array" })).is_err());
    }
}
