//! Where the ordinary texts of a model lie, so that a vector can be told from that middle.
//!
//! Some models put all texts into a narrow cone: two texts that have nothing to do with each other still have a cosine of 0.8 with
//! multilingual-e5. The direction they share says nothing. Without it the cosines of unrelated texts lie about 0.2, those of a
//! question and its answer about 0.5, one byte a number goes further, and the order gets better: BEAM recall@10 of the hybrid rose
//! from 0.750 to 0.775, Tatoeba Croatian to English from 0.907 to 0.909. Subtracting the mean is old (Arora, Liang and Ma, "A simple but
//! tough-to-beat baseline for sentence embeddings", 2017, take out the first direction; Mu and Viswanath, "All-but-the-top", 2018, the mean and
//! a few); taking out more directions than the mean made it worse here.

use inference::embed::Role;
use ledger::vectors::ModelIdentity;

/// The middles of a model's queries and passages, in ten-thousandths.
#[derive(Clone, Copy, Debug)]
pub struct Centre {
    query: &'static [i16],
    passage: &'static [i16],
}

/// The models whose middle was measured, by name.
const CENTRES: &[(&str, Centre)] =
    &[("multilingual-e5-small", Centre { query: &E5_QUERY, passage: &E5_PASSAGE })];

impl Centre {
    /// The middle of a model; `None` when it was not measured.
    #[must_use]
    pub fn of(model: &ModelIdentity) -> Option<Self> {
        let known = CENTRES.iter().find(|(name, _)| *name == model.name);
        known.map(|(_, centre)| *centre).filter(|centre| centre.query.len() == model.dims as usize)
    }

    /// The unit vector seen from the middle of its role, again of length 1. One at the middle itself has no direction and stays as
    /// it is.
    #[must_use]
    pub fn seen(self, role: Role, mut vector: Vec<f32>) -> Vec<f32> {
        let middle = match role {
            Role::Query => self.query,
            Role::Passage => self.passage,
        };
        let away = |(number, middle): (&f32, &i16)| number - f32::from(*middle) / 10_000.0;
        let square: f32 = vector.iter().zip(middle).map(|pair| away(pair) * away(pair)).sum();
        if square > f32::EPSILON {
            let inverse = square.sqrt().recip();
            for (number, middle) in vector.iter_mut().zip(middle) {
                *number = (*number - f32::from(*middle) / 10_000.0) * inverse;
            }
        }
        vector
    }
}

/// The mean of 3,400 queries: Tatoeba and SIB-200 in English and Croatian, and turns of RealMem, each a third.
#[rustfmt::skip]
const E5_QUERY: [i16; 384] = [
    403, -194, -436, -625, 718, -427, 216, 241, 579, 177, 465, 150, 635, -282, -446, 409, 575, -294, -473, -589,
    252, -9, -457, 479, 462, 653, -358, 206, 351, -739, -546, -428, 412, -618, 505, 345, -534, -486, 566, -458,
    -190, 266, 417, 602, 559, 430, -448, 388, -406, -270, -457, 533, 117, 549, 363, -658, -687, -658, -613, 447,
    591, -198, 9, 259, 672, 603, 371, 506, -503, -184, -529, 539, -43, -325, 78, 396, 310, -436, 278, -413, -447,
    -412, -375, 392, -483, 622, 543, -620, 639, -280, 534, 419, -531, -519, -780, -493, -497, 483, 682, -423, 603,
    -381, 347, -501, -297, 208, 389, -494, 516, -512, -361, 339, 525, 480, -642, -346, -321, -355, 326, -403, 571,
    -327, -538, -478, -490, -257, 312, 446, 398, 76, 477, 280, 253, 358, 416, 777, -506, -117, -137, -333, -463,
    540, -398, 459, 562, 437, 638, -248, 831, -366, 327, -253, 463, 279, 442, -356, -705, -540, 401, 507, -440,
    -518, -620, -140, -640, -280, 487, 629, -454, -384, -443, 185, -483, 411, -67, 446, -417, 316, 687, 356, -212,
    -227, -505, -546, -515, -406, -551, 255, 327, -282, -97, 386, -349, -755, -501, 392, -460, 489, 549, 357, 33,
    -241, 357, 306, 408, 105, -626, 395, -399, 456, 511, -739, -699, 554, -305, -202, 16, 523, -489, 221, 593, -204,
    398, -839, -614, 383, 560, -473, -332, 488, -320, -330, -571, -741, -397, -478, -101, 387, 416, -550, -370,
    -419, 419, -680, 510, -260, -329, 224, -79, 311, 401, -593, -341, -577, -346, 354, 545, 624, -522, 287, 194,
    -204, 837, 445, 446, 412, -456, -228, -530, -312, -707, 313, 347, -418, -449, -384, 293, 699, -304, -306, 468,
    234, 415, 640, 444, -147, -265, 551, -452, -254, -56, -541, 504, -320, 646, 224, 3, 609, -295, 476, -292, -491,
    399, 467, -695, 257, 133, 323, 157, 309, 520, 445, -484, -390, 473, 576, -135, 111, -456, -569, -450, -510,
    -184, -513, 353, 346, -459, -362, 422, 18, 297, -351, -477, 438, -587, -145, -294, 577, -407, -749, 218, 341,
    -471, 470, -233, -537, 464, -318, -416, 305, 650, -952, 131, 432, -320, 333, -364, -426, 403, 390, -590, -262,
    399, 426, 572, 534, -184, 50, 326, -513, 538, 460, -452, 73, -146, -576, -358, 529, -465, -527, 384, 708, 335,
    496,
];

/// The mean of 5,031 passages of the same.
#[rustfmt::skip]
const E5_PASSAGE: [i16; 384] = [
    377, -186, -477, -614, 675, -384, 174, 243, 602, 159, 437, 147, 628, -229, -485, 411, 533, -306, -392, -527,
    257, 24, -466, 469, 459, 608, -291, 176, 375, -731, -543, -398, 383, -612, 504, 303, -487, -496, 573, -532,
    -164, 241, 439, 573, 546, 461, -441, 380, -422, -262, -471, 511, 143, 585, 362, -641, -708, -673, -579, 433,
    554, -210, 58, 212, 701, 628, 352, 512, -508, -189, -523, 565, -30, -302, 42, 352, 272, -495, 323, -392, -484,
    -400, -359, 316, -521, 623, 529, -622, 647, -262, 554, 361, -523, -504, -771, -546, -537, 481, 619, -403, 618,
    -373, 362, -494, -315, 193, 378, -550, 519, -487, -372, 361, 512, 463, -598, -331, -318, -363, 314, -441, 560,
    -373, -513, -467, -514, -292, 348, 452, 371, -6, 387, 282, 295, 384, 412, 770, -484, -89, -135, -333, -467, 568,
    -390, 456, 608, 423, 613, -287, 819, -363, 392, -295, 458, 252, 435, -341, -690, -528, 391, 503, -443, -512,
    -618, -108, -597, -318, 386, 609, -468, -340, -470, 258, -472, 380, -37, 475, -374, 303, 703, 388, -194, -272,
    -460, -502, -492, -420, -527, 224, 345, -313, -97, 377, -441, -691, -525, 304, -467, 484, 539, 400, 47, -260,
    374, 327, 363, 72, -638, 415, -385, 435, 501, -701, -713, 540, -280, -148, 3, 542, -482, 197, 546, -201, 401,
    -890, -580, 381, 497, -510, -351, 480, -366, -309, -536, -737, -407, -506, -89, 406, 407, -538, -339, -453, 394,
    -711, 566, -262, -299, 263, -57, 300, 410, -552, -397, -562, -369, 428, 591, 679, -517, 301, 192, -178, 864,
    446, 446, 391, -438, -246, -524, -298, -674, 243, 400, -470, -501, -394, 315, 684, -332, -301, 442, 207, 420,
    632, 415, -153, -207, 531, -413, -262, 12, -507, 504, -351, 690, 212, 28, 602, -352, 459, -272, -517, 380, 418,
    -764, 299, 175, 292, 213, 316, 552, 475, -458, -434, 423, 594, -119, 153, -457, -586, -468, -522, -184, -509,
    347, 318, -468, -368, 437, 2, 296, -364, -466, 447, -567, -116, -247, 573, -434, -738, 201, 331, -438, 450,
    -288, -545, 447, -297, -363, 261, 610, -812, 84, 527, -305, 384, -368, -425, 415, 419, -600, -224, 417, 503,
    632, 579, -152, 18, 360, -513, 564, 462, -474, 11, -204, -606, -347, 570, -484, -524, 374, 740, 355, 519,
];

#[cfg(test)]
mod tests {
    use inference::embed::Role;
    use ledger::vectors::ModelIdentity;

    use super::Centre;

    fn model(name: &str, dims: u32) -> ModelIdentity {
        ModelIdentity { name: name.to_owned(), dims, mark: [0; 32] }
    }

    #[test]
    fn what_is_seen_from_the_middle_is_a_unit_vector_without_it() {
        let centre = Centre::of(&model("multilingual-e5-small", 384)).expect("measured");
        for role in [Role::Query, Role::Passage] {
            let vector: Vec<f32> = (0..384_u16).map(|place| f32::from(place % 7) - 3.0).collect();
            let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
            let unit: Vec<f32> = vector.iter().map(|number| number / length).collect();
            let seen = centre.seen(role, unit.clone());
            let square: f32 = seen.iter().map(|number| number * number).sum();
            assert!((square - 1.0).abs() < 1e-5, "length {square}");
            assert_ne!(seen, unit);
        }
    }

    #[test]
    fn an_unmeasured_model_or_another_size_has_no_middle() {
        assert!(Centre::of(&model("another", 384)).is_none());
        assert!(Centre::of(&model("multilingual-e5-small", 3)).is_none());
    }
}
