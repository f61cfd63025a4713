// echo ROUNDS: a server with a thread for each connection, four clients, all in one process; prints sums of what came back. Status 3.
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

fn main() {
    let rounds: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut data = [0u8; 4096];
                loop {
                    let length = stream.read(&mut data).unwrap();
                    if length == 0 {
                        break;
                    }
                    stream.write_all(&data[..length]).unwrap();
                }
            });
        }
    });
    let (tells, told) = mpsc::channel();
    for client in 0..4u64 {
        let tells = tells.clone();
        thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            let mut sum = client;
            for round in 0..rounds {
                let message = vec![(round % 251) as u8; 1 + (round as usize * 13) % 3000];
                stream.write_all(&message).unwrap();
                let mut answer = vec![0u8; message.len()];
                stream.read_exact(&mut answer).unwrap();
                sum = sum.wrapping_mul(31).wrapping_add(answer.iter().map(|byte| *byte as u64).sum::<u64>());
            }
            tells.send(sum).unwrap();
        });
    }
    drop(tells);
    let mut sums: Vec<u64> = told.iter().collect();
    sums.sort();
    println!("{:?}", sums);
    std::process::exit(3);
}
