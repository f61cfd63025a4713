<?php
$n = (int)($_GET['n'] ?? 10);
$hashes = [];
for ($i = 0; $i < $n; $i++) $hashes[] = md5("x$i");
echo json_encode(['n' => $n, 'hash' => md5(implode($hashes)), 'filling' => str_repeat('z', $n * 10)]), "\n";
