//! International bank account numbers (ISO 13616): a country, its length, two check digits.

/// Countries and the length of their numbers, from the registry of ISO 13616.
const LENGTHS: &str = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18\
    FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27\
    MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30";

/// How many of these characters are a bank account number: its country's length, where the check digits are right. `written` begins with the
/// country; white space, hyphens and full stops may stand anywhere in it. What is broken otherwise than by single spaces holds mostly digits, as
/// nearly every such number does: words and names that are joined do not.
pub(crate) fn length(written: &str) -> Option<usize> {
    let country = written.get(..2)?;
    let row = LENGTHS
        .as_bytes()
        .chunks(4)
        .find(|row| row[..2].eq_ignore_ascii_case(country.as_bytes()))?;
    let wanted: usize = std::str::from_utf8(&row[2..]).ok()?.parse().ok()?;
    let mut signs: Vec<u8> = Vec::with_capacity(wanted);
    let (mut end, mut broken) = (0, false);
    for (at, byte) in written.bytes().enumerate() {
        if matches!(byte, b'-' | b'.') || byte.is_ascii_whitespace() {
            broken |= byte != b' ';
            continue;
        }
        signs.push(byte);
        end = at + 1;
        if signs.len() == wanted {
            break;
        }
    }
    let digits = signs.iter().filter(|sign| sign.is_ascii_digit()).count();
    if signs.len() < wanted || broken && digits * 2 < wanted {
        return None;
    }
    signs.rotate_left(4);
    let rest = signs.iter().try_fold(0, |rest: u32, sign| {
        let value = char::from(*sign).to_digit(36)?;
        Some(if value < 10 {
            (rest * 10 + value) % 97
        } else {
            (rest * 100 + value) % 97
        })
    });
    (rest == Some(1)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_and_lengths_count() {
        for good in [
            "GB82 WEST 1234 5698 7654 32",
            "DE89370400440532013000",
            "no9386011117947",
            "FR14 2004 1010 0505 0001 3M02 606",
            "DE89 3704 0044\n0532 0130 00",
            "DE89 3704 0044\r\n0532 0130 00",
            "DE89 3704 0044\n      0532 0130 00",
            "DE89\t3704\t0044\t0532\t0130\t00",
            "GB82-WEST-1234-5698-7654-32",
        ] {
            assert_eq!(length(good), Some(good.len()), "{good}");
        }
        assert_eq!(length("GB82 WEST 1234 5698 7654 32 IS MINE"), Some(27));
        for bad in [
            "GB83 WEST 1234 5698 7654 32",
            "DE8937040044053201300",
            "XX89370400440532013000",
            "",
            // The check digits are right.
            "no95-fix-the-bug-up",
        ] {
            assert_eq!(length(bad), None, "{bad}");
        }
    }
}
