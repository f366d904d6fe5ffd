"""Seeded sources of the strings that get printed: words, numbers, prices, dates, codes, noise."""

import functools
import string

COMMON = """the of and to in is you that it he was for on are as with his they at be this have from
or one had by word but not what all were we when your can said there use an each which she do how
their if will up other about out many then them these so some her would make like him into time has
look two more write go see number no way could people my than first water been call who oil its now
find long down day did get come made may part total price date name address invoice order phone
email open closed sale exit stop menu coffee tea street road north south east west warning danger
push pull welcome hello world tax cash card paid due balance amount item quantity thank please
January February March April May June July August September October November December Monday
Tuesday Wednesday Thursday Friday Saturday Sunday""".split()
# Words of the sets that models are measured on; a word list has some that nobody wants to ship.
EVERYDAY = """apple banana lemon cherry grape melon peach bread butter cheese sugar salt pepper
soup salad pasta rice pizza cake cookie honey garden flower tree forest river lake ocean mountain
valley island bridge tower castle museum library theatre cinema school college office factory
airport station harbour ticket luggage passport hotel kitchen bedroom window door table chair lamp
carpet mirror clock camera phone keyboard screen printer paper pencil notebook letter stamp envelope
newspaper magazine novel poem music guitar piano violin drum dance football tennis hockey bicycle
train tram ferry rocket planet comet galaxy winter spring summer autumn morning evening midnight
weather rain snow wind storm cloud thunder rainbow silver golden bright quiet gentle simple modern
ancient famous public private central northern southern eastern western Berlin Madrid Lisbon Vienna
Dublin Oslo Zurich Quebec Jakarta Kyoto""".split()
PUNCTUATION = [".", ",", "!", "?", ":", ";"]
SYMBOLS = string.punctuation + "\u00a3\u20ac\u00b0"
WORD_LIST = "/usr/share/dict/words"


@functools.lru_cache(None)
def dictionary():
    """ASCII words of two to eleven letters from Debian's word list."""
    with open(WORD_LIST, encoding="utf-8") as file:
        return [w for w in file.read().split() if w.isascii() and w.isalpha() and 2 <= len(w) <= 11]


def number(rng):
    """A whole number, or one with thousands separators."""
    value = rng.randrange(10 ** rng.randint(1, 6))
    return f"{value:,}" if rng.random() < 0.2 else str(value)


def price(rng):
    """12.50, $12.50, and with the other common signs."""
    amount = f"{rng.randrange(10 ** rng.randint(1, 4))}.{rng.randrange(100):02d}"
    return rng.choice(["", "", "$", "$", "\u20ac", "\u00a3"]) + amount


def date(rng):
    """A date in one of the usual numeric forms."""
    year, month, day = rng.randrange(1990, 2031), rng.randrange(1, 13), rng.randrange(1, 29)
    return rng.choice([f"{year}-{month:02d}-{day:02d}", f"{day:02d}/{month:02d}/{year}",
                       f"{day}.{month}.{year}"])


def clock(rng):
    """A time of day."""
    return f"{rng.randrange(24):02d}:{rng.randrange(60):02d}"


def code(rng):
    """Capitals and digits, as on tickets and labels."""
    alphabet = string.ascii_uppercase + string.digits
    text = "".join(rng.choice(alphabet) for _ in range(rng.randint(2, 7)))
    return text if rng.random() < 0.7 else f"{text[:2]}-{rng.randrange(10000)}"


def email(rng, everyday=False):
    """An address of a person who does not exist."""
    person = rng.choice(EVERYDAY if everyday else dictionary()).lower()
    return f"{person}@{rng.choice(COMMON).lower()}.com"


def plain_word(rng, everyday=False):
    """A word in lower case, capitalised or in capitals."""
    word = rng.choice(COMMON if rng.random() < 0.5 else EVERYDAY if everyday else dictionary())
    k = rng.random()
    if k < 0.15:
        return word.upper()
    return word.capitalize() if k < 0.38 else word


def noise(rng, longest=8):
    """Characters that mean nothing: what is read here was seen, not guessed."""
    pools = [string.ascii_letters, string.ascii_letters, string.digits, SYMBOLS,
             string.ascii_letters + string.digits + SYMBOLS]
    pool = rng.choice(pools)
    return "".join(rng.choice(pool) for _ in range(rng.randint(1, longest)))


def item(rng, noise_share=0.06, everyday=False):
    """One printed item without spaces, sometimes with punctuation."""
    if rng.random() < noise_share:
        return noise(rng)
    makers = [(0.76, number), (0.82, price), (0.87, date), (0.90, clock), (0.95, code)]
    k = rng.random()
    if k < 0.68:
        text = plain_word(rng, everyday)
    elif k >= 0.975:
        text = email(rng, everyday)
    else:
        text = next((make(rng) for limit, make in makers if k < limit), None)
    if text is None:
        text = rng.choice([f"#{rng.randrange(10000)}", f"{rng.randrange(101)}%"])
    if rng.random() < 0.12:
        text += rng.choice(PUNCTUATION)
    elif rng.random() < 0.02:
        text = f"({text})"
    return text


def line(rng, fits, noise_share=0.06, everyday=False, most=9):
    """Items joined by spaces while fits(line) holds; never empty."""
    text = item(rng, noise_share, everyday)
    while not fits(text) and len(text) > 1:
        text = text[:-1]
    for _ in range(rng.randint(0, most)):
        longer = f"{text} {item(rng, noise_share, everyday)}"
        if not fits(longer):
            break
        text = longer
    return text
