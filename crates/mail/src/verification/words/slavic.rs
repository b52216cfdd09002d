//! Russian, Ukrainian, Bulgarian, Serbian, Macedonian, Belarusian, Polish, Czech, Slovak, Slovenian, Croatian, Bosnian;
//! Lithuanian and Latvian beside them.

use super::Family;

pub(super) const WORDS: Family = Family {
    strong: &[
        "код подтверждения", "код безопасности", "код для входа", "код входа", "код авторизации", "код доступа", "код активации", "код проверки", "проверочный код", "одноразовый", "одноразовый код", "код восстановления", "код верификации", "код для подтверждения", "код сброса", "код регистрации", "код аутентификации", "секретный код",
        "код підтвердження", "код безпеки", "код для входу", "код входу", "код перевірки", "одноразовий", "код відновлення", "код доступу", "код активації", "код авторизації", "код за потвърждение", "код за верификация", "код за влизане", "код за вход", "код за сигурност", "еднократ", "код за възстановяване", "код за активиране", "код за достъп", "потврдни код", "верификациони код", "сигурносни код", "код за пријав", "код за ресет", "код за потврд", "једнократ", "регистрациони код", "код за најав", "код пацвярджэння",
        "kod weryfikacyjny", "kodu weryfikacyjnego", "kod bezpieczeństwa", "kod logowania", "kod potwierdzający", "kod potwierdzenia", "kod dostępu", "kod jednorazowy", "jednorazow", "kod aktywacyjny", "kod autoryzacyjny", "kod resetowania", "kod uwierzytelniający", "kod do logowania",
        "ověřovací kód", "bezpečnostní kód", "přihlašovací kód", "potvrzovací kód", "jednorázov", "kód pro obnovení", "aktivační kód", "overovací kód", "bezpečnostný kód", "prihlasovací kód", "potvrdzovací kód", "kód na overenie", "kód na obnovu", "jednorazový",
        "potvrditveni kod", "kod za potvrdu", "kôd za potvrdu", "kôd za prijavu", "kod za prijav", "kontrolni kod", "kôd za provjeru", "kontrolni kôd", "sigurnosni kod", "sigurnosni kôd", "verifikacijski kod", "verifikacijski kôd", "verifikacioni kod", "potvrdni kod", "potvrdni kôd", "kod za reset", "kôd za reset", "jednokratn", "koda za potrditev", "potrditvena koda", "koda za prijavo", "varnostna koda", "koda za ponastavitev", "enkratn", "registracioni kod",
        "patvirtinimo kod", "prisijungimo kod", "saugos kod", "vienkartin", "atstatymo kod", "apstiprinājuma kod", "verifikācijas kod", "drošības kod", "pieteikšanās kod", "vienreizēj", "atiestatīšanas kod",
    ],
    weak: &["код", "kod", "kód", "kôd", "koda", "kods", "kodas", "пин", "пароль", "pin"],
    account: &[
        "вход", "войти", "войдите", "парол", "аккаунт", "учетн", "учётн", "подтверд", "регистрац", "авторизац", "почт", "безопасност", "вхід", "увійти", "обліков", "підтверд", "реєстрац", "пошт", "акаунт", "профил", "потвърд", "имейл", "налог", "лозинк", "пријав", "потврд", "сметка", "konto", "konta", "logowani", "zaloguj", "hasł", "potwierd", "weryfik", "rejestr", "účet", "účtu", "přihl", "hesl", "ověř", "potvr", "registr", "prihl", "over", "račun", "nalog", "prijav", "lozink", "geslo", "gesla", "potrd", "paskyr", "slaptažod", "prisijung", "patvirtin", "el. pašt", "konts", "kontu", "parol", "apstiprin", "e-past",
    ],
    action: &[
        "подтвердит", "подтвердить", "активир", "сброс", "восстанов", "войти", "войдите", "по ссылке", "ссылк", "принять приглашение", "зарегистрир", "установить пароль", "підтверд", "активув", "скин", "віднов", "увійти", "посилання", "зареєстр", "прийняти запрошення", "потвърд", "активира", "нулир", "възстанов", "линк", "връзк", "влез", "регистр", "потврд", "ресет", "пријав", "веза", "врска", "спасылк",
        "potwierd", "zweryfikuj", "aktywuj", "zresetuj", "reset", "zaloguj", "link", "zarejestr", "przyjmij zaproszenie", "zaakceptuj", "potvr", "ověř", "aktiv", "obnov", "přihl", "odkaz", "registr", "over", "prihl", "linku", "potvrd", "verific", "prijav", "poveznic", "vezu", "veza", "potrd", "ponastav", "povezav", "patvirtin", "aktyvuo", "atstat", "atkur", "prisijung", "nuorod", "apstiprin", "atiestat", "pieteik", "saiti", "saite",
    ],
    notice: &[
        "был изменен", "был изменён", "была изменена", "изменен пароль", "пароль изменен", "пароль изменён", "был сброшен", "успешно измен", "успешно обновлен", "новый вход", "выполнен вход", "с нового устройства", "новое устройство", "вход в аккаунт с", "было измен", "було змінено", "змінено пароль", "пароль змінено", "новий вхід", "нового пристрою", "виконано вхід", "беше промен", "е променен", "бе променен", "ново влизане", "нов вход", "ново устройство", "је промењен", "је измењен", "нова пријава", "новог уређаја", "е променета",
        "zostało zmienione", "został zmieniony", "została zmieniona", "zmieniono", "nowe logowanie", "nowego urządzenia", "zaktualizowano", "bylo změněno", "byla změněna", "byl změněn", "nové přihlášení", "nového zařízení", "bolo zmenené", "bola zmenená", "bol zmenený", "nové prihlásenie", "nového zariadenia", "je promijenjen", "je promenjen", "je izmijenjen", "je izmenjen", "nova prijava", "novog uređaja", "je bilo spremenjeno", "je spremenjen", "nove naprave", "buvo pakeist", "pakeistas", "naujas prisijungimas", "tika mainīt", "ir mainīt", "jauna pieteikšanās",
    ],
    other: &[
        "промокод", "скидк", "купон", "почтовый индекс", "заказ", "счет-фактур", "счёт на оплат", "бронир", "доставк", "посылк", "трек", "квитанц", "чек ", "знижк", "замовлен", "рахунок-фактур", "поштов", "отстъпк", "поръчк", "фактур", "резервац", "попуст", "поруџбин", "наруџб", "kod rabatow", "rabat", "kupon", "kod pocztowy", "zamówieni", "faktur", "rezerwacj", "przesyłk", "sleva", "slevov", "kupón", "psč", "objednávk", "rezervac", "zásilk", "zľav", "objednávk", "popust", "narudžb", "porudžbin", "rezervacij", "poštanski broj", "naročil", "račun št", "nuolaid", "užsakym", "sąskait", "siunt", "atlaid", "pasūtījum", "rēķin", "sūtījum",
    ],
    counted: &[
        "заказ", "счет", "счёт", "телефон", "тел.", "номер", "карт", "клиент", "минут", "час", "дней", "дня", "года", "год ", "г.", "руб", "замовлення", "рахун", "хвилин", "годин", "днів", "поръчка", "минути", "часа", "дни", "поруџбин", "минута", "zamówieni", "nr ", "numer", "klient", "faktur", "minut", "godzin", "dni", "objednávk", "číslo", "č.", "hodin", "minút", "hodín", "broj", "br.", "minuta", "sati", "naročil", "številk", "užsakym", "minu", "valand", "pasūtījum", "stund", "ul.", "ул.", "вул.", "punkt", "балл",
    ],
};
