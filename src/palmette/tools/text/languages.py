"""What tokenization must know of a language: abbreviations, clitics, hyphens, and words that begin sentences."""

from __future__ import annotations

from dataclasses import dataclass, field


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _irregular(words: str) -> dict[str, tuple[int, ...]]:
    """`can|not gon|na` as the lengths of the pieces by word."""
    return {w.replace("|", ""): tuple(map(len, w.split("|"))) for w in words.split()}


@dataclass(frozen=True)
class Language:
    """The rules' data. Abbreviations are in small letters without their last full stop.

    `titles` are those that never end a sentence; `before_numbers` are abbreviations only before a number.
    `endings` and `beginnings` are expressions for clitics, `tied` for those after a hyphen; `apocopes` keep their
    last apostrophe; `irregular` has the lengths of the pieces of a word.
    """

    titles: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    before_numbers: frozenset[str] = frozenset()
    endings: tuple[str, ...] = ()
    beginnings: str = ""
    tied: str = ""
    apocopes: frozenset[str] = frozenset()
    irregular: dict[str, tuple[int, ...]] = field(default_factory=dict)
    hyphens_split: bool = False
    joined_prefixes: frozenset[str] = frozenset()
    joined_suffixes: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    small_starts: bool = False  # a full stop after no abbreviation ends a sentence even before a small letter
    ordinals: bool = False  # "3." is the third: a number and a full stop need not end a sentence

    @property
    def abbreviations(self) -> frozenset[str]:
        """All that take their full stop always."""
        return self.titles | self.others


ENGLISH = Language(
    titles=_set(
        "mr mrs ms messrs dr prof rev fr sr st ste ft mt gen lt col sgt cpl capt cmdr adm maj pvt gov"
        " sen sens rep reps hon pres supt insp vs viz e.g i.e eg ie cf al ca approx"
    ),
    others=_set(
        "jr inc ltd co corp bros dept univ assn est etc jan feb apr jun jul aug sept oct nov dec"
        " mon tue tues wed thu thur thurs fri ave blvd rd hwy ext attn ph.d ph d.c u.s a.m p.m"
        " p.s arrv lv lb lbs oz yr yrs hr hrs mins vol eds esp conf para va calif"
        " conn ariz fla ass't dist tel mob que"
    ),
    before_numbers=_set("no nos p pp fig figs art sec ch vol eq mar par sat sun ref ver v"),
    endings=(
        r"(?i)n['’ʼ`´]t$",
        r"(?i)['’ʼ`´](?:s|re|ve|ll|d|m|em)$",
    ),
    irregular=_irregular(
        "can|not gon|na wan|na got|ta out|ta lem|me gim|me dun|no 't|is 't|was do|nt wo|nt ca|nt did|nt"
        " does|nt could|nt would|nt should|nt is|nt was|nt were|nt are|nt have|nt has|nt had|nt ai|nt"
        " i|m i|ve that|s there|s he|s a|lot she|s what|s let|s you|re they|re"
    ),
    hyphens_split=True,
    joined_prefixes=_set(
        "anti non pre post pro ex co re mid multi semi neo e counter sub inter intra ultra micro macro"
        " mega bi tri un de over under cross socio psycho arch pan quasi pseudo trans"
        " extra hyper super infra proto eco bio geo tele electro mini meta mal mis dis"
    ),
    joined_suffixes=_set("wise esque ish like fold"),
    small_starts=True,
    starters=_set(
        "the a an this that these those it he she they we i you there here in on at for from with by as"
        " if when while after before but and or so however although because since what who where why how"
        " my his her their our your its no not all some many most one two please thanks also then now do"
        " does did is are was were can could will would should let to of"
    ),
)

GERMAN = Language(
    titles=_set(
        "hr fr frl dr prof st hl ing dipl med phil jur rer nat hrsg bzw ca vgl evtl ggf inkl zzgl z.b d.h u.a"
    ),
    others=_set(
        "usw etc u.s.w jan feb mär apr jun jul aug sep sept okt nov dez str nr bd"
        " abs art aufl geb gest jh mio mrd tel z.t z.zt s.o s.u v.a o.ä u.ä i.d.r n.chr v.chr"
    ),
    before_numbers=_set("s nr abs art kap abb"),
    endings=(r"['’]s$",),
    ordinals=True,
    starters=_set(
        "der die das ein eine einen einem einer er sie es wir ich ihr in im am auf mit für und aber doch"
        " wenn als da dies diese dieser dieses was wer wie warum so nach bei von zu nur nicht auch man"
    ),
)

FRENCH = Language(
    titles=_set("m mm mme mmes mlle mlles dr pr st ste mgr me cf av bd env p.ex c.-à-d"),
    others=_set("etc janv févr avr juil sept oct nov déc tél art chap fig vol éd apr j.-c"),
    before_numbers=_set("n p pp art chap fig vol"),
    beginnings=r"(?i)(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)['’ʼ]",
    tied=r"(?i)(?:-t)?-(?:je|tu|ils?|elles?|on|nous|vous|moi|toi|lui|leur|les?|la|en|y|ce)$",
    irregular=_irregular("aujourd'hui aujourd’hui rendez-vous au-delà jusque-là"),
    starters=_set(
        "le la les l un une des ce cette ces il elle ils elles on nous vous je tu c en dans pour mais et"
        " si quand comme au aux à son sa ses leur leurs notre"
    ),
)

SPANISH = Language(
    titles=_set(
        "sr sra srta sres sras d dña dr dra prof profa st sto sta gral cnel lic ing excmo ilmo p.ej cf"
    ),
    others=_set(
        "etc ud uds vd vds ene feb abr jun jul ago sept oct nov dic av avda tel núm pág págs cía ee.uu s.a"
    ),
    before_numbers=_set("n nº núm pág págs art cap fig vol"),
    starters=_set(
        "el la los las un una unos lo en de por para pero y si cuando como su sus este esta no se es con"
    ),
)

DUTCH = Language(
    titles=_set(
        "dhr mevr mw mr dr drs ir ing prof ds st jhr bijv bv nl m.n t.w d.w.z d.m.v o.a i.v.m t.a.v ca vgl"
    ),
    others=_set(
        "enz etc jan feb mrt apr jun jul aug sept okt nov dec nr blz tel afd e.d e.a a.u.b m.b.v n.a.v"
    ),
    before_numbers=_set("nr art blz p pag"),
    starters=_set(
        "de het een hij zij ze we wij ik je dit dat deze die er in op met maar en als toen naar voor van"
    ),
)

ITALIAN = Language(
    titles=_set(
        "sig sigg sig.ra sig.na dott dott.ssa prof prof.ssa ing avv arch geom on sen mons p.es cfr s"
    ),
    others=_set(
        "ecc etc gen feb apr giu lug ago sett ott nov dic tel pag pagg art cap n fig vol s.p.a s.r.l a.c d.c"
    ),
    before_numbers=_set("n nn p pp pag art cap fig vol"),
    apocopes=_set("po mo be di da fa va sta to ca pie"),
    beginnings=(
        r"(?i)(?:[cdlmnstv]|un|gl|all|dall|dell|nell|sull|coll|quell|quest|bell|sant|tutt|mezz|grand|pover|com|dov|quand"
        r"|senz|anch|neanch|nessun|alcun|ciascun|qualcun|cos|de)['’ʼ](?=\w)"
    ),
    starters=_set(
        "il lo la i gli le un una uno in di per ma e se quando come questo questa non si è con nel nella"
    ),
)

TURKISH = Language(
    titles=_set("dr prof doç yrd av sn hz bkz yy vb vs öğr gör alb gen müh"),
    others=_set("örn mah cad sok apt tel no t.c m.ö m.s a.ş ltd şti"),
    before_numbers=_set("no s sf cilt md"),
    ordinals=True,
    starters=_set("bu o bir ve ama fakat ancak ben sen biz siz onlar şu çünkü eğer ne nasıl niye her böyle"),
)

GENERIC = Language(
    titles=_set("mr mrs ms dr prof st cf vs e.g i.e"),
    others=_set("etc jr sr inc ltd co tel"),
    before_numbers=_set("no nr p pp fig vol art"),
)

LANGUAGES = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "nl": DUTCH,
    "it": ITALIAN,
    "tr": TURKISH,
    "generic": GENERIC,
}
