echo a
curl x
 ‮ echo b # ﻿
