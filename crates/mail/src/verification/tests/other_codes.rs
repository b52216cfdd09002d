//! Codes of things in the rows of a table, numbers with initials, and codes of two channels.

use crate::verification::{AMBIGUOUS_CONFIDENCE_MAX, VerificationInput, detect};

fn code(subject: &str, text: &str) -> Option<String> {
    let input = VerificationInput { subject, text: Some(text), ..VerificationInput::default() };
    detect(&input).and_then(|found| found.code)
}

const LABELS: [&str; 52] = [
    "Product code",
    "Article code",
    "Goods code",
    "Vendor code",
    "Membership code",
    "Customer code",
    "Branch code",
    "Colour code",
    "Size code",
    "Tax code",
    "Supplier code",
    "Warehouse code",
    "Artikelcode",
    "Produktcode",
    "Größencode",
    "Mitgliedscode",
    "Lieferantencode",
    "Filialcode",
    "Code produit",
    "Code article",
    "Code fournisseur",
    "Code couleur",
    "Código de producto",
    "Código de artículo",
    "Código de color",
    "Código do produto",
    "Código de barras",
    "Codice prodotto",
    "Codice articolo",
    "Codice fornitore",
    "Productcode",
    "Leverancierscode",
    "Varukod",
    "Produktkod",
    "Varekode",
    "Tuotekoodi",
    "Kod produktu",
    "Kod towaru",
    "Kód produktu",
    "Kód zboží",
    "Код товара",
    "Код продукту",
    "Termékkód",
    "Cod produs",
    "Κωδικός προϊόντος",
    "Ürün kodu",
    "رمز المنتج",
    "קוד מוצר",
    "商品コード",
    "제품 코드",
    "产品代码",
    "Mã sản phẩm",
];

#[test]
fn codes_of_things_in_a_table_are_no_codes() {
    for label in LABELS {
        for value in ["482913", "AB48291", "4829"] {
            for text in [
                format!("Thank you.\n\n{label}: {value}\nQuantity: 2\nPrice: 19.90 EUR\n"),
                format!("Name: Chair\n{label}: {value}\nColor: red\n"),
                format!("Name: Chair\n{label}\n{value}\nColor: red\n"),
            ] {
                assert_eq!(code("Your details", &text), None, "{text}");
            }
        }
    }
}

#[test]
fn codes_for_signing_in_in_a_table_are_codes() {
    for label in [
        "Code",
        "Your code",
        "Verification code",
        "Security code",
        "Login code",
        "One-time code",
        "Access code",
        "Confirmation code",
        "Authentication code",
        "Sign-in code",
        "Ihr Code",
        "Dein Code",
        "Bestätigungscode",
        "Anmeldecode",
        "Votre code",
        "Code de vérification",
        "Tu código",
        "Código de verificación",
        "Il tuo codice",
        "Codice di verifica",
        "Twój kod",
        "Kod weryfikacyjny",
        "Код подтверждения",
        "確認コード",
        "验证码",
        "인증 코드",
    ] {
        let text = format!("Sign in to Acme\n\nDevice: Chrome\n{label}: 482913\nPlace: Berlin\n");
        assert_eq!(code("Sign in to Acme", &text).as_deref(), Some("482913"), "{label}");
    }
}

#[test]
fn number_with_initials_needs_the_name_of_a_code() {
    for initials in ["TX", "PO", "SO", "RE", "ID", "NO", "CS", "TK"] {
        for text in [
            format!("Thank you for your payment.\n\n{initials}-482913\n"),
            format!("Reference code: {initials}-482913"),
            format!("Transaction: {initials}-482913\nAmount: 20 EUR"),
            format!("Code: {initials}-482913\nAmount: 20 EUR"),
        ] {
            assert_eq!(code("Payment", &text), None, "{text}");
        }
    }
    for text in [
        "G-482913 is your Acme verification code.",
        "Your verification code is G-482913.",
        "Your login code:\n\nFB-482913\n",
    ] {
        assert_eq!(code("Acme", text).as_deref(), Some("482913"), "{text}");
    }
}

#[test]
fn codes_of_two_channels_are_ambiguous() {
    for (one, two) in [
        ("Email code", "SMS code"),
        ("SMS code", "Email code"),
        ("E-Mail-Code", "SMS-Code"),
        ("Code e-mail", "Code SMS"),
        ("Email verification code", "Phone verification code"),
        ("Código de correo", "Código SMS"),
        ("Kod e-mail", "Kod SMS"),
    ] {
        for text in [
            format!("{one}: 482913\n{two}: 111117\n"),
            format!("{one}: 482913 / {two}: 111117\n"),
            format!("Sign in to Acme.\n\n{one}: 482913\n\n{two}: 111117\n"),
        ] {
            let input = VerificationInput { subject: "Sign in", text: Some(&text), ..VerificationInput::default() };
            let found = detect(&input);
            assert!(found.is_none_or(|found| found.confidence <= AMBIGUOUS_CONFIDENCE_MAX), "{text}");
        }
    }
}
