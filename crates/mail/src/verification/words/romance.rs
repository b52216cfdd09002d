//! French, Spanish, Portuguese, Italian, Catalan, Galician, Romanian.

use super::Family;

pub(super) const WORDS: Family = Family {
    strong: &[
        "code de vérification", "code de verification", "code de sécurité", "code de connexion", "code de confirmation", "code d'accès", "code d’accès", "code d'authentification", "code d’authentification", "code d'activation", "code d’activation", "code de validation", "code à usage unique", "usage unique", "mot de passe à usage", "code de réinitialisation", "code temporaire", "code de récupération", "code d'identification", "code d'inscription",
        "código de verificación", "codigo de verificacion", "código de seguridad", "código de acceso", "código de confirmación", "código de inicio", "código de autenticación", "código de activación", "código de un solo uso", "un solo uso", "contraseña de un solo", "código temporal", "código de restablecimiento", "código de recuperación", "código de registro", "clave dinámica", "clave temporal", "código único",
        "código de verificação", "codigo de verificacao", "código de segurança", "código de acesso", "código de confirmação", "código de login", "código de entrada", "código de autenticação", "código de ativação", "código de uso único", "uso único", "senha temporária", "código temporário", "código de redefinição", "código de recuperação", "senha de uso",
        "codice di verifica", "codice di sicurezza", "codice di accesso", "codice di conferma", "codice di connessione", "codice di autenticazione", "codice di attivazione", "codice monouso", "codice temporaneo", "codice di reimpostazione", "codice di recupero", "password monouso", "codice otp", "codice usa e getta",
        "codi de verificació", "codi de seguretat", "codi d'accés", "codi de confirmació", "código de verificación", "cod de verificare", "codul de verificare", "cod de securitate", "codul de securitate", "cod de conectare", "codul tău de", "codul de autentificare", "cod de autentificare", "cod de confirmare", "codul de confirmare", "cod de acces", "cod de resetare", "codul de resetare", "cod unic", "parolă unică",
    ],
    weak: &["code", "código", "codigo", "codice", "codi ", "cod ", "codul", "clave", "pin"],
    account: &[
        "connexion", "connecter", "identif", "mot de passe", "compte", "confirm", "vérifi", "adresse e-mail", "adresse email", "inscri", "authentif", "sécurité", "contraseña", "cuenta", "iniciar sesión", "inicio de sesión", "acceder", "verific", "correo electrónico", "registr", "autentic", "seguridad", "senha", "conta", "entrar", "acesso", "e-mail", "palavra-passe", "cadastr", "segurança", "account", "accedi", "accesso", "parola", "cont ", "contul", "conect", "autentif", "contrasenya", "compte", "contrasinal",
    ],
    action: &[
        "vérifi", "confirme", "activer", "activez", "réinitialis", "se connecter", "connectez-vous", "connexion", "lien ci-dessous", "lien suivant", "ce lien", "le lien", "accepter l'invitation", "accepter l’invitation", "rejoindre", "inscrire", "valider", "définir un mot de passe",
        "verific", "confirma", "activar", "active su", "activa tu", "restablece", "reestablece", "iniciar sesión", "inicia sesión", "siguiente enlace", "este enlace", "el enlace", "enlace", "aceptar invitación", "aceptar la invitación", "unirse", "registrar", "validar",
        "ativar", "ative", "redefin", "repor", "entrar", "fazer login", "link abaixo", "seguinte link", "link a seguir", "este link", "ligação", "aceitar convite", "aceitar o convite", "cadastr",
        "conferma", "verifica", "attiva", "reimposta", "reset della password", "ripristina", "accedi", "link qui sotto", "seguente link", "link seguente", "questo link", "il link", "accetta invito", "accetta l'invito", "registra",
        "restableix", "enllaç", "activeaz", "reseteaz", "resetare", "conecteaz", "autentific", "link-ul", "linkul", "legătur", "înregistr", "acceptă invitația",
    ],
    notice: &[
        "a été modifié", "a été changé", "a été réinitialisé", "a bien été", "a été mis à jour", "nouvelle connexion", "nouvel appareil", "a été confirmé", "a été supprimé", "viens de te connecter",
        "ha sido cambiad", "ha cambiado", "se ha cambiado", "se cambió", "ha sido modificad", "ha sido restablecid", "se ha restablecido", "ha sido actualizad", "nuevo inicio de sesión", "nuevo dispositivo", "nuevo acceso", "ha sido confirmad", "ha sido eliminad", "se actualizó", "se ha modificado",
        "foi alterad", "foi modificad", "foi redefinid", "foi atualizad", "foi trocad", "novo login", "novo acesso", "novo dispositivo", "novo início de sessão", "foi confirmad", "foi removid",
        "è stata modificata", "è stato modificato", "è stata cambiata", "è stato cambiato", "è stata reimpost", "è stata aggiornata", "è stato aggiornato", "nuovo accesso", "nuovo dispositivo", "nuovo login", "è stato confermato", "è stato rimosso",
        "s'ha canviat", "ha estat canviad", "a fost schimbat", "a fost modificat", "a fost resetat", "a fost actualizat", "conectare nouă", "autentificare nouă", "dispozitiv nou",
    ],
    other: &[
        "code promo", "réduction", "remise", "bon d'achat", "code postal", "commande", "facture", "réservation", "colis", "livraison", "soldes", "descuento", "cupón", "cupon", "promoción", "oferta", "código postal", "pedido", "factura", "reserva", "envío", "desconto", "cupom", "cupão", "promoção", "fatura", "encomenda", "rastreamento", "rastreio", "sconto", "buono", "codice postale", "codice fiscale", "codice sconto", "ordine", "fattura", "prenotazione", "spedizione", "descompte", "comanda", "reducere", "voucher", "cod poștal", "factur", "rezervare", "colet",
    ],
    counted: &[
        "commande", "facture", "compte n", "téléphone", "tél", "dossier", "client", "colis", "numéro", "n°", "minutes", "heures", "jours", "pedido", "factura", "cuenta", "teléfono", "cliente", "número", "nº", "núm", "minutos", "horas", "días", "conta", "fatura", "telefone", "dias", "ordine", "fattura", "conto", "telefono", "numero", "minuti", "ore", "giorni", "comanda", "factur", "contul", "minute", "zile", "rue ", "calle ", "rua ", "via ", "terminada en", "se terminant par", "points", "puntos", "pontos", "punti",
    ],
};
